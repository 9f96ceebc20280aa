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
const text = { type: "string" } as const;
const number = { type: "number" } as const;
const flag = { type: "boolean" } as const;
const json = { type: "any" } as const;

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
    id: number,
    owner_id: number,
    benefits_added: number,
    version: number,
    uuid: text,
    name: text,
    slug: text,
    avatar_url: text,
    status: text,
    trending_pin: text,
    created_at: text,
    updated_at: text,
    directory_key: text,
  },
  indexes: { one: { pk, sk: fixed("COMMUNITY") } },
});

const Stats = new Entity({
  model: model("stats"),
  attributes: {
    community_id: id,
    members: json,
    joined: json,
    left: json,
    refunded_cents: json,
    joiners: number,
    trend_score: number,
  },
  indexes: { one: { pk, sk: fixed("STATS") } },
});

const Tier = new Entity({
  model: model("tier"),
  attributes: {
    id,
    community_id: id,
    name: text,
    badge: text,
    stripe_price_id: text,
    status: text,
    created_at: text,
    updated_at: text,
    position: number,
    monthly_price_dollars: number,
    trial_days: number,
    requires_shipping_address: flag,
  },
  indexes: { all: { pk, sk: byId("TIER#${id}") } },
});

const Benefit = new Entity({
  model: model("benefit"),
  attributes: {
    id,
    community_id: id,
    name: text,
    description: text,
    status: text,
    created_at: text,
    updated_at: text,
    position: number,
    version: number,
    tier_ids: json,
  },
  indexes: { all: { pk, sk: byId("BENEFIT#${id}") } },
});

const Member = new Entity({
  model: model("member"),
  attributes: {
    id,
    community_id: id,
    tier_id: number,
    status: text,
    block_reason: text,
    blocked_at: text,
    notes: text,
    created_at: text,
    updated_at: text,
    current_period_start: text,
    current_period_end: text,
    cancel_at: text,
    trial_start: text,
    trial_end: text,
    canceled_at: text,
    ended_at: text,
    first_granted_at: text,
    stripe_customer_id: text,
    stripe_subscription_id: text,
    cancel_at_period_end: flag,
    is_blocked: flag,
    blocked_by: number,
    total_refunded_cents: number,
    lifetime_spend_cents: number,
    sync_version: number,
    version: number,
    shipping_address: json,
    refunds: json,
    user: json,
    custom: json,
  },
  indexes: { all: { pk: { ...pk, template: "COMMUNITY#${community_id}#MEMBERS" }, sk: byId("MEMBER#${id}") } },
});

/** Our items lack the attributes by which ElectroDB knows its own. */
const options = { consistent: true, ignoreOwnership: true, pages: "all" } as const;
const one = { consistent: true, ignoreOwnership: true } as const;

/** The same items of the same table, read through ElectroDB; the list without its filters. */
export function electroReads(client: DynamoDBDocumentClient, table: string): Reads {
  for (const entity of [Community, Stats, Tier, Benefit, Member]) {
    entity.setClient(client);
    entity.setTableName(table);
  }

  async function community(community_id: number) {
    const [found, stats, tiers] = await Promise.all([
      Community.get({ community_id }).go(one),
      Stats.get({ community_id }).go(one),
      Tier.query.all({ community_id }).go(options),
    ]);
    const items: (Item | null)[] = [
      found.data && { ...found.data, ...keys.community(community_id) },
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
      const [found, { data }] = await Promise.all([
        community(community_id),
        Benefit.query.all({ community_id }).go(options),
      ]);
      return { ...found, benefits: (data as StoredBenefit[]).toSorted(inOrder) };
    },
    async member(community_id, memberId) {
      const { data } = await Member.get({ community_id, id: memberId }).go(one);
      return data ? fromItem(data) : undefined;
    },
    async members(community_id, { per, cursor, sort }) {
      const order = sort === "created_at" ? "asc" : "desc";
      const page = await Member.query.all({ community_id }).go({ ...one, order, limit: per, cursor: cursor ?? null });
      return { members: page.data.map(fromItem), next_cursor: page.cursor };
    },
  };
}
