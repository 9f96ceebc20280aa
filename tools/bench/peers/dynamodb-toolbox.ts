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

/** Declares attributes of the same type. */
const each = <const Name extends string, Type>(type: () => Type, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, type()])) as Record<Name, Type>;
const textOrNull = () => anyOf(string(), nul());
const numberOrNull = () => anyOf(number(), nul());
const times = each(string, "created_at", "updated_at");
/** The items of Odis lack the library's own attributes. */
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
    ...each(number, "owner_id", "benefits_added", "version"),
    ...each(string, "uuid", "name", "slug", "status"),
    ...each(textOrNull, "avatar_url", "trending_pin"),
    tiers_added: number().optional(),
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
    ...each(any, "members", "joined", "left", "refunded_cents"),
    ...each(number, "joiners", "version"),
    monthly_cents: number().optional(),
    trend_score: numberOrNull(),
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
    ...each(string, "name", "status"),
    ...each(textOrNull, "badge", "stripe_price_id"),
    ...each(number, "position", "monthly_price_dollars", "trial_days", "assignments", "version"),
    ...each(boolean, "requires_shipping_address", "in_use"),
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
    ...each(string, "name", "description", "status"),
    ...each(number, "position", "version"),
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
    ...each(string, "status", "notes", "current_period_start", "current_period_end"),
    ...each(textOrNull, "cancel_at", "trial_start", "trial_end", "canceled_at", "ended_at", "first_granted_at"),
    ...each(textOrNull, "blocked_at", "block_reason", "stripe_customer_id", "stripe_subscription_id"),
    blocked_by: numberOrNull(),
    ...each(number, "tier_id", "total_refunded_cents", "lifetime_spend_cents", "sync_version", "version"),
    ...each(boolean, "is_blocked", "cancel_at_period_end"),
    ...each(any, "shipping_address", "refunds", "user", "custom"),
    older_refunds_cents: any().optional(),
    imported: any().optional(),
    opening: any().optional(),
    ...each(() => number().optional(), "address_version", "monthly_cents"),
    ...times,
  }),
  computeKey: ({ community_id, id }) => keys.member(community_id, id),
});

const consistent = { consistent: true } as const;

/** Reads the same items with DynamoDB-Toolbox. The list has no filters. */
export function toolboxReads(client: DynamoDBDocumentClient, tableName: string): Reads {
  table.documentClient = client;
  table.tableName = tableName;
  const under = (partition: string, beginsWith: string) => ({ partition, range: { beginsWith } });

  async function community(id: number) {
    const { pk } = keys.community(id);
    const [community, stats, tiers] = await Promise.all([
      Community.build(GetItemCommand).key({ id }).options(consistent).send(),
      Stats.build(GetItemCommand).key({ community_id: id }).options(consistent).send(),
      table.build(QueryCommand).entities(Tier).query(under(pk, "TIER#")).options(consistent).send(),
    ]);
    const items = [
      ...(community.Item ? [{ ...community.Item, ...keys.community(id) }] : []),
      ...(stats.Item ? [{ ...stats.Item, ...keys.stats(id) }] : []),
      ...(tiers.Items ?? []).map((tier) => ({ ...tier, ...keys.tier(id, tier.id) })),
    ];
    return communityFrom(items, id, new Date());
  }

  return {
    community,
    async communityWithBenefits(id) {
      const query = under(keys.community(id).pk, "BENEFIT#");
      const [community, { Items = [] }] = await Promise.all([
        community(id),
        table.build(QueryCommand).entities(Benefit).query(query).options(consistent).send(),
      ]);
      return { ...community, benefits: (Items as StoredBenefit[]).toSorted(inOrder) };
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
