import type { TierFields } from "#lib/domain/tier.ts";
import { communityFields } from "#lib/fields/community.ts";
import { valuesBefore } from "#lib/fields/field.ts";
import { tierFields } from "#lib/fields/tier.ts";
import type { Actor } from "#lib/store/activity.ts";
import { decideAgain } from "#lib/store/again.ts";
import * as communities from "#lib/store/communities.ts";
import type { Writer } from "#lib/store/table.ts";
import * as tiers from "#lib/store/tiers.ts";
import { addProfile } from "../users.ts";
import { people } from "./people.ts";
import { repriced } from "./year.ts";

const minute = 60_000;

const demoCommunities = [
  { id: 1, uuid: "6f1d9b0e-3c1a-4c55-9a44-0c3a1c2f7a01", name: "Mezcal Circle", slug: "mezcal-circle", owner: "owner" },
  {
    id: 2,
    uuid: "6f1d9b0e-3c1a-4c55-9a44-0c3a1c2f7a02",
    name: "Peat & Smoke",
    slug: "peat-and-smoke",
    owner: "other_owner",
  },
] as const;

const demoTiers = [
  {
    community: 1,
    id: 11,
    name: "Agave Friend",
    badge: "Friend",
    dollars: repriced.to,
    yearly: null,
    trial: 0,
    ships: false,
  },
  { community: 1, id: 12, name: "Barrel Owner", badge: null, dollars: 25, yearly: 250, trial: 14, ships: true },
  { community: 1, id: 13, name: "Palenque Patron", badge: "Patron", dollars: 90, yearly: 900, trial: 0, ships: true },
  { community: 1, id: 14, name: "Ensamble Society", badge: null, dollars: 45, yearly: null, trial: 0, ships: false },
  { community: 2, id: 21, name: "Dram Club", badge: "Dram", dollars: 15, yearly: 150, trial: 0, ships: false },
  { community: 2, id: 22, name: "Cask Share", badge: "Cask", dollars: 120, yearly: null, trial: 30, ships: true },
] as const;

/** The demo's communities in `.odis/local.json`. */
export const listedCommunities = demoCommunities.map(({ id, uuid, name, slug, owner }) => ({
  id,
  uuid,
  name,
  slug,
  owner,
  tiers: demoTiers
    .filter(({ community }) => community === id)
    .map((tier) => ({
      id: tier.id,
      name: tier.name,
      monthly_price_dollars: tier.dollars,
      yearly_price_dollars: tier.yearly,
      requires_shipping_address: tier.ships,
    })),
}));

type Prices = {
  /** Creates the Stripe prices of a tier and returns their ids. */
  readonly pricesOf: (
    communityId: number,
    tier: TierFields,
  ) => Promise<Pick<TierFields, "stripe_price_id" | "yearly_stripe_price_id">>;
  /** Whether one tier becomes more expensive during the demo's year. */
  readonly isRepriced: boolean;
};

/** Adds the communities with their owners and tiers. */
export async function addCommunities(table: Writer, by: Actor, { pricesOf, isRepriced }: Prices): Promise<void> {
  const at = by.now.toISOString();
  for (const { id, uuid, name, slug, owner } of demoCommunities) {
    await addProfile(table, people[owner]);
    const community = {
      ...valuesBefore(communityFields),
      id,
      uuid,
      name,
      slug,
      owner_id: people[owner].id,
      avatar_url: null,
      trending_pin: null,
      status: "active" as const,
      created_at: at,
      updated_at: at,
    };
    await decideAgain(table, () => communities.add(table, community, by));
  }
  for (const [n, demoTier] of demoTiers.entries()) {
    // Without the stand-in for Stripe, the demo's year is not simulated, so the price of the tier does not change.
    const dollars = isRepriced && demoTier.id === repriced.tier ? repriced.from : demoTier.dollars;
    const now = new Date(by.now.getTime() + (n + 1) * minute);
    const tier = tierOf({ ...demoTier, dollars }, now.toISOString());
    const priced = { ...tier, ...(await pricesOf(demoTier.community, tier)) };
    await decideAgain(table, async () =>
      tiers.add(table, await communities.open(table, demoTier.community), priced, { ...by, now }),
    );
  }
}

type DemoTier = Omit<(typeof demoTiers)[number], "dollars"> & { readonly dollars: number };

function tierOf({ id, name, badge, dollars, yearly, trial, ships }: DemoTier, at: string): TierFields {
  return {
    ...valuesBefore(tierFields),
    id,
    name,
    badge,
    position: id % 10,
    monthly_price_dollars: dollars,
    yearly_price_dollars: yearly,
    trial_days: trial,
    requires_shipping_address: ships,
    stripe_price_id: null,
    status: "active",
    created_at: at,
    updated_at: at,
  };
}
