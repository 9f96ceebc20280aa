import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { Entity } from "electrodb";
import { inOrder } from "../../../lib/domain/benefit.ts";
import type { StoredBenefit } from "../../../lib/store/benefits.ts";
import { communityFrom } from "../../../lib/store/communities.ts";
import type { Item } from "../../../lib/store/expression.ts";
import { keys } from "../../../lib/store/keys.ts";
import { fromItem } from "../../../lib/store/members/item.ts";
import type { Reads } from "./reads.ts";

const id = { type: "number", padding: { length: 16, char: "0" } } as const;
/** Declares attributes of the same type. */
const each = <const Type extends "string" | "number" | "boolean" | "any", const Name extends string>(
  type: Type,
  ...names: readonly Name[]
) => Object.fromEntries(names.map((name) => [name, { type }])) as Record<Name, { readonly type: Type }>;
const times = each("string", "created_at", "updated_at");

const model = <const Name extends string>(entity: Name) => ({ entity, service: "odis", version: "1" });
const pk = { field: "pk", casing: "none", composite: ["community_id"], template: "COMMUNITY#${community_id}" } as const;
const fixed = <const Text extends string>(template: Text) =>
  ({ field: "sk", casing: "none", composite: [], template }) as const;
const byId = <const Text extends string>(template: Text) =>
  ({ field: "sk", casing: "none", composite: ["id"], template }) as const;

const Community = new Entity({
  model: model("community"),
  attributes: {
    community_id: id,
    ...each("number", "id", "owner_id", "benefits_added", "tiers_added", "version"),
    ...each("string", "uuid", "name", "slug", "avatar_url", "status", "trending_pin", "directory_key"),
    ...times,
  },
  indexes: { one: { pk, sk: fixed("COMMUNITY") } },
});

const Stats = new Entity({
  model: model("stats"),
  attributes: {
    community_id: id,
    ...each("any", "members", "joined", "left", "refunded_cents"),
    ...each("number", "joiners", "monthly_cents", "trend_score", "version"),
  },
  indexes: { one: { pk, sk: fixed("STATS") } },
});

const Tier = new Entity({
  model: model("tier"),
  attributes: {
    id,
    community_id: id,
    ...each("string", "name", "badge", "stripe_price_id", "status"),
    ...each("number", "position", "monthly_price_dollars", "trial_days", "assignments", "version"),
    ...each("boolean", "requires_shipping_address", "in_use"),
    ...times,
  },
  indexes: { all: { pk, sk: byId("TIER#${id}") } },
});

const Benefit = new Entity({
  model: model("benefit"),
  attributes: {
    id,
    community_id: id,
    ...each("string", "name", "description", "status"),
    ...each("number", "position", "version"),
    ...each("any", "tier_ids"),
    ...times,
  },
  indexes: { all: { pk, sk: byId("BENEFIT#${id}") } },
});

const Member = new Entity({
  model: model("member"),
  attributes: {
    id,
    community_id: id,
    ...each("string", "status", "block_reason", "blocked_at", "notes", "stripe_customer_id", "stripe_subscription_id"),
    ...each("string", "current_period_start", "current_period_end", "cancel_at", "trial_start", "trial_end"),
    ...each("string", "canceled_at", "ended_at", "first_granted_at"),
    ...each(
      "number",
      "tier_id",
      "blocked_by",
      "total_refunded_cents",
      "lifetime_spend_cents",
      "address_version",
      "monthly_cents",
      "sync_version",
      "version",
    ),
    ...each("boolean", "cancel_at_period_end", "is_blocked"),
    ...each("any", "shipping_address", "refunds", "older_refunds_cents", "opening", "user", "custom", "imported"),
    ...times,
  },
  indexes: { all: { pk: { ...pk, template: "COMMUNITY#${community_id}#MEMBERS" }, sk: byId("MEMBER#${id}") } },
});

/** The items of Odis lack ElectroDB's own attributes. */
const options = { consistent: true, ignoreOwnership: true, pages: "all" } as const;
const singleItem = { consistent: true, ignoreOwnership: true } as const;

/** Reads the same items with ElectroDB. The list has no filters. */
export function electroReads(client: DynamoDBDocumentClient, table: string): Reads {
  for (const entity of [Community, Stats, Tier, Benefit, Member]) {
    entity.setClient(client);
    entity.setTableName(table);
  }

  async function community(community_id: number) {
    const [community, stats, tiers] = await Promise.all([
      Community.get({ community_id }).go(singleItem),
      Stats.get({ community_id }).go(singleItem),
      Tier.query.all({ community_id }).go(options),
    ]);
    const items: (Item | null)[] = [
      community.data && { ...community.data, ...keys.community(community_id) },
      stats.data && { ...stats.data, ...keys.stats(community_id) },
      ...tiers.data.map((tier) => ({ ...tier, ...keys.tier(community_id, tier.id ?? 0) })),
    ];
    return communityFrom(
      items.filter((item) => item !== null),
      community_id,
      new Date(),
    );
  }

  return {
    community,
    async communityWithBenefits(community_id) {
      const [community, { data }] = await Promise.all([
        community(community_id),
        Benefit.query.all({ community_id }).go(options),
      ]);
      return { ...community, benefits: (data as StoredBenefit[]).toSorted(inOrder) };
    },
    async member(community_id, memberId) {
      const { data } = await Member.get({ community_id, id: memberId }).go(singleItem);
      return data ? fromItem(data) : undefined;
    },
    async members(community_id, { per, cursor, sort }) {
      const order = sort === "created_at" ? "asc" : "desc";
      const page = await Member.query
        .all({ community_id })
        .go({ ...singleItem, order, limit: per, cursor: cursor ?? null });
      return { members: page.data.map(fromItem), next_cursor: page.cursor };
    },
  };
}
