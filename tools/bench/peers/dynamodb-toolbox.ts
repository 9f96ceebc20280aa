import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { Entity } from "dynamodb-toolbox/entity";
import { GetItemCommand } from "dynamodb-toolbox/entity/actions/get";
import { any } from "dynamodb-toolbox/schema/any";
import { anyOf } from "dynamodb-toolbox/schema/anyOf";
import { boolean } from "dynamodb-toolbox/schema/boolean";
import { item } from "dynamodb-toolbox/schema/item";
import { nul } from "dynamodb-toolbox/schema/nul";
import { number } from "dynamodb-toolbox/schema/number";
import { string } from "dynamodb-toolbox/schema/string";
import { Table } from "dynamodb-toolbox/table";
import { QueryCommand } from "dynamodb-toolbox/table/actions/query";
import { inOrder } from "../../../lib/domain/benefit.ts";
import type { StoredBenefit } from "../../../lib/store/benefits.ts";
import { communityFrom } from "../../../lib/store/communities.ts";
import { keys } from "../../../lib/store/keys.ts";
import { fromItem } from "../../../lib/store/members/item.ts";
import type { Reads } from "./reads.ts";

const textOrNull = anyOf(string(), nul());
const times = { created_at: string(), updated_at: string() };
/** Our items lack the attributes by which the library knows its own. */
const plain = { entityAttribute: false, timestamps: false } as const;

const table = new Table({
  name: "",
  partitionKey: { name: "pk", type: "string" },
  sortKey: { name: "sk", type: "string" },
});

const Community = new Entity({
  ...plain,
  name: "community",
  table,
  schema: item({
    id: number().key(),
    owner_id: number(),
    benefits_added: number(),
    version: number(),
    uuid: string(),
    name: string(),
    slug: string(),
    status: string(),
    avatar_url: textOrNull,
    trending_pin: textOrNull,
    directory_key: string().optional(),
    ...times,
  }),
  computeKey: ({ id }) => keys.community(id),
});

const Stats = new Entity({
  ...plain,
  name: "stats",
  table,
  schema: item({
    community_id: number().key(),
    members: any(),
    joined: any(),
    left: any(),
    refunded_cents: any(),
    joiners: number(),
    trend_score: anyOf(number(), nul()),
  }),
  computeKey: ({ community_id }) => keys.stats(community_id),
});

const Tier = new Entity({
  ...plain,
  name: "tier",
  table,
  schema: item({
    community_id: number().key(),
    id: number().key(),
    name: string(),
    status: string(),
    badge: textOrNull,
    stripe_price_id: textOrNull,
    position: number(),
    monthly_price_dollars: number(),
    trial_days: number(),
    requires_shipping_address: boolean(),
    ...times,
  }),
  computeKey: ({ community_id, id }) => keys.tier(community_id, id),
});

const Benefit = new Entity({
  ...plain,
  name: "benefit",
  table,
  schema: item({
    community_id: number().key(),
    id: number().key(),
    name: string(),
    description: string(),
    status: string(),
    position: number(),
    version: number(),
    tier_ids: any(),
    ...times,
  }),
  computeKey: ({ community_id, id }) => keys.benefit(community_id, id),
});

const Member = new Entity({
  ...plain,
  name: "member",
  table,
  schema: item({
    community_id: number().key(),
    id: number().key(),
    tier_id: number(),
    status: string(),
    notes: string(),
    is_blocked: boolean(),
    cancel_at_period_end: boolean(),
    current_period_start: string(),
    current_period_end: string(),
    cancel_at: textOrNull,
    trial_start: textOrNull,
    trial_end: textOrNull,
    canceled_at: textOrNull,
    ended_at: textOrNull,
    first_granted_at: textOrNull,
    blocked_at: textOrNull,
    block_reason: textOrNull,
    stripe_customer_id: textOrNull,
    stripe_subscription_id: textOrNull,
    blocked_by: anyOf(number(), nul()),
    total_refunded_cents: number(),
    lifetime_spend_cents: number(),
    sync_version: number(),
    version: number(),
    shipping_address: any(),
    refunds: any(),
    user: any(),
    custom: any(),
    ...times,
  }),
  computeKey: ({ community_id, id }) => keys.member(community_id, id),
});

const consistent = { consistent: true } as const;

/** The same items of the same table, read through DynamoDB-Toolbox; the list without its filters. */
export function toolboxReads(client: DynamoDBDocumentClient, tableName: string): Reads {
  table.documentClient = client;
  table.tableName = tableName;
  const under = (partition: string, beginsWith: string) => ({ partition, range: { beginsWith } });

  async function community(id: number) {
    const { pk } = keys.community(id);
    const [found, stats, tiers] = await Promise.all([
      Community.build(GetItemCommand).key({ id }).options(consistent).send(),
      Stats.build(GetItemCommand).key({ community_id: id }).options(consistent).send(),
      table.build(QueryCommand).entities(Tier).query(under(pk, "TIER#")).options(consistent).send(),
    ]);
    const items = [
      ...(found.Item ? [{ ...found.Item, ...keys.community(id) }] : []),
      ...(stats.Item ? [{ ...stats.Item, ...keys.stats(id) }] : []),
      ...(tiers.Items ?? []).map((tier) => ({ ...tier, ...keys.tier(id, tier.id) })),
    ];
    return communityFrom(items, id, new Date());
  }

  return {
    community,
    async communityWithBenefits(id) {
      const query = under(keys.community(id).pk, "BENEFIT#");
      const [found, { Items = [] }] = await Promise.all([
        community(id),
        table.build(QueryCommand).entities(Benefit).query(query).options(consistent).send(),
      ]);
      return { ...found, benefits: (Items as StoredBenefit[]).toSorted(inOrder) };
    },
    async member(community_id, id) {
      const { Item } = await Member.build(GetItemCommand).key({ community_id, id }).options(consistent).send();
      return Item && fromItem(Item);
    },
    async members(community_id, { per, cursor, sort }) {
      const { pk } = keys.member(community_id, 0);
      const { Items = [], LastEvaluatedKey } = await table
        .build(QueryCommand)
        .entities(Member)
        .query(under(pk, "MEMBER#"))
        .options({
          ...consistent,
          limit: per,
          reverse: sort !== "created_at",
          ...(cursor !== undefined && { exclusiveStartKey: { pk, sk: cursor } }),
        })
        .send();
      return { members: Items.map(fromItem), next_cursor: (LastEvaluatedKey?.sk as string | undefined) ?? null };
    },
  };
}
