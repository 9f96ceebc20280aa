import { describe, expect, it } from "vitest";
import * as benefits from "#lib/contract/benefits.ts";
import * as brands from "#lib/contract/brands.ts";
import * as communities from "#lib/contract/communities.ts";
import * as members from "#lib/contract/members.ts";
import type { Body, Route } from "#lib/contract/route.ts";
import * as tiers from "#lib/contract/tiers.ts";
import { addProfile } from "../../tools/local/users.ts";
import { admin, startApi } from "../support/api.ts";
import { aBenefit, aCommunity, aMember } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();
const { call } = api;

const producer_id = "7c5d1f0a-7f5e-4a3b-8a53-5d9b1c6e0001";
const newOwner = 77;
const tierId = 90_011;

/** Every field that a PATCH takes, with a value that no new record has. A field without one does not compile. */
const values = {
  member: {
    shipping_address: {
      name: "Ana Ruiz",
      line1: "118 Calle de Alcalá",
      line2: "3 B",
      city: "Madrid",
      state: "Madrid",
      postal_code: "28009",
      phone: "+34 600 111 222",
      country: "ES",
    },
    metadata: { notes: "Prefers reposado", shelf: "B2" },
  } satisfies Required<Body<typeof members.update>["member"]>,
  community: {
    name: "Agave Society",
    slug: "agave-society",
    avatar_url: "https://example.com/agave.png",
    owner_id: newOwner,
    trending_pin: "on",
    status: "archived",
  } satisfies Required<Body<typeof communities.update>["community"]>,
  tier: {
    name: "Reserva",
    badge: "Gold",
    position: 4,
    monthly_price_dollars: 31.5,
    yearly_price_dollars: 315,
    trial_days: 14,
    requires_shipping_address: true,
    status: "archived",
  } satisfies Required<Body<typeof tiers.update>["tier"]>,
  benefit: {
    name: "Distillery tour",
    description: "Once a year, for two.",
    position: 7,
    tier_ids: [tierId],
  } satisfies Required<Body<typeof benefits.update>["benefit"]>,
  brand: { name: "Casa Ruiz", producer_ids: [producer_id, "7c5d1f0a-7f5e-4a3b-8a53-5d9b1c6e0002"] } satisfies Required<
    Body<typeof brands.update>["brand"]
  >,
};

type Resource = {
  readonly show: Route;
  readonly update: Route;
  /** Adds a record. @returns the parameters of its path */
  readonly create: () => Promise<Readonly<Record<string, number | string>>>;
};

const resources: Readonly<Record<keyof typeof values, Resource>> = {
  member: {
    ...members,
    async create() {
      const community = await aCommunity(api.table);
      return { community_id: community.id, id: (await aMember(api.table, community)).id };
    },
  },
  community: {
    ...communities,
    async create() {
      const { id } = await aCommunity(api.table);
      await addProfile(api.table, { id: newOwner, username: "nora", first_name: "Nora", last_name: "New" });
      return { id };
    },
  },
  tier: {
    ...tiers,
    async create() {
      const { id: community_id } = await aCommunity(api.table);
      const body = { tier: { name: "Blanco", monthly_price_dollars: 20 } };
      return { id: (await call(tiers.create, { params: { community_id }, as: admin, body })).body.id };
    },
  },
  benefit: {
    ...benefits,
    create: async () => ({ id: (await aBenefit(api.table, await aCommunity(api.table, { tier: { id: tierId } }))).id }),
  },
  brand: {
    ...brands,
    async create() {
      const body = { brand: { name: "Casa Vieja" } };
      const brand = await call(brands.create, { params: { producer_id }, as: admin, body });
      return { producer_id, id: brand.body.id };
    },
  },
};

describe.each(Object.entries(resources))("PATCH of a %s", (name, { show, update, create }) => {
  const params = setUp(() => create());
  const shown = async (): Promise<unknown> => (await call<Route>(show, { params, as: admin } as never)).body;

  it.each(Object.entries(values[name as keyof typeof values]))(
    "PATCH changes the field %s, and the next GET returns the new value",
    async (field, value) => {
      expect(await shown()).not.toMatchObject({ [field]: value });
      const { status } = await call(update, { params, as: admin, body: { [name]: { [field]: value } } } as never);
      expect(status).toBe(200);
      expect(await shown()).toMatchObject({ [field]: value });
    },
  );
});
