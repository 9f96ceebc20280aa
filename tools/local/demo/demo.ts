import { makePrice } from "#lib/billing/catalog.ts";
import { billing } from "#lib/billing/stripe.ts";
import type { Person } from "#lib/domain/member.ts";
import type { TierFields } from "#lib/domain/tier.ts";
import type { Actor } from "#lib/store/activity.ts";
import * as communities from "#lib/store/communities.ts";
import * as tiers from "#lib/store/tiers.ts";
import * as users from "#lib/store/users.ts";
import type { Stack } from "../stack.ts";
import { addProfile } from "../users.ts";
import { addBenefits } from "./benefits.ts";
import { addBrands } from "./brands.ts";
import { addDestinations } from "./destinations.ts";
import { addMembers } from "./members.ts";
import { stripeIn } from "./stripe-client.ts";
import { repriced } from "./year.ts";

/** Who the printed tokens belong to. */
export const people = {
  admin: { id: 1, username: "admin", first_name: "Ada", last_name: "Admin", groups: ["admin"] },
  editor: { id: 2, username: "editor", first_name: "Edith", last_name: "Editor", groups: ["editor"] },
  owner: { id: 3, username: "owner", first_name: "Olga", last_name: "Owner", groups: [] },
  other_owner: { id: 4, username: "other-owner", first_name: "Otto", last_name: "Other", groups: [] },
  member: { id: 5, username: "member", first_name: "Mina", last_name: "Member", groups: [] },
  stranger: { id: 6, username: "stranger", first_name: "Stan", last_name: "Stranger", groups: [] },
} as const satisfies Record<string, Omit<Person, "email"> & { groups: readonly string[] }>;

/** Producers of the demo's brands. */
export const producers = ["0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0001", "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0002"] as const;

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

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
  { community: 1, id: 11, name: "Agave Friend", badge: "Friend", dollars: repriced.to, trial: 0, ships: false },
  { community: 1, id: 12, name: "Barrel Owner", badge: null, dollars: 25, trial: 14, ships: true },
  { community: 1, id: 13, name: "Palenque Patron", badge: "Patron", dollars: 90, trial: 0, ships: true },
  { community: 1, id: 14, name: "Ensamble Society", badge: null, dollars: 45, trial: 0, ships: false },
  { community: 2, id: 21, name: "Dram Club", badge: "Dram", dollars: 15, trial: 0, ships: false },
  { community: 2, id: 22, name: "Cask Share", badge: "Cask", dollars: 120, trial: 30, ships: true },
] as const;

/** What `.odis/local.json` says of the demo's communities. */
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
      requires_shipping_address: tier.ships,
    })),
}));

/** Fills an empty table: communities with tiers and benefits, members of every kind, brands. A table in use is left alone. */
export async function seed(stack: Stack, now: Date): Promise<void> {
  const { table, stripe } = stack;
  if (await users.find(table, people.stranger.id)) return stack.listen();
  const by: Actor = { id: people.admin.id, requestId: "demo", now: new Date(now.getTime() - 400 * day) };
  stack.setClock(by.now);
  const at = by.now.toISOString();
  for (const { id, uuid, name, slug, owner } of demoCommunities) {
    await addProfile(table, people[owner]);
    await communities.add(
      table,
      {
        id,
        uuid,
        name,
        slug,
        owner_id: people[owner].id,
        avatar_url: null,
        status: "active",
        trending_pin: null,
        created_at: at,
        updated_at: at,
      },
      by,
    );
  }
  for (const [n, demoTier] of demoTiers.entries()) {
    // Where there is no stand-in, no year passes in which it becomes more expensive.
    const dollars = stripe && demoTier.id === repriced.tier ? repriced.from : demoTier.dollars;
    const tier = tierOf({ ...demoTier, dollars }, new Date(by.now.getTime() + (n + 1) * minute).toISOString());
    const stripe_price_id = await makePrice(
      billing(() => 30_000),
      demoTier.community,
      tier,
    );
    await tiers.add(table, await communities.open(table, demoTier.community), { ...tier, stripe_price_id }, by);
  }
  await addBenefits(table, { ...by, now: new Date(by.now.getTime() + hour) });
  await addDestinations(table, { ...by, now: new Date(by.now.getTime() + 2 * hour) });
  await addBrands(table, producers, by);
  if (stripe)
    await addMembers({ ...stack, stripe, billing: stripeIn(stripe.answer) }, people.member, people.owner, now);
  stack.listen();
  for (const person of Object.values(people)) await addProfile(table, person);
}

type DemoTier = Omit<(typeof demoTiers)[number], "dollars"> & { readonly dollars: number };

function tierOf({ id, name, badge, dollars, trial, ships }: DemoTier, at: string): TierFields {
  return {
    id,
    name,
    badge,
    position: id % 10,
    monthly_price_dollars: dollars,
    trial_days: trial,
    requires_shipping_address: ships,
    stripe_price_id: null,
    status: "active",
    created_at: at,
    updated_at: at,
  };
}
