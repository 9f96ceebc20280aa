import { describe, expect, it } from "vitest";
import { recordChanges } from "#lib/events/record-changes.ts";
import { benefitFields } from "#lib/fields/benefit.ts";
import { brandFields } from "#lib/fields/brand.ts";
import { communityFields } from "#lib/fields/community.ts";
import { valuesBefore } from "#lib/fields/field.ts";
import { tierFields } from "#lib/fields/tier.ts";

const created_at = "2026-11-21T12:00:00.000Z";

const benefit = {
  ...valuesBefore(benefitFields),
  id: 1,
  name: "A",
  description: "",
  position: 1,
  tier_ids: [11],
  status: "active" as const,
  created_at,
};
const tier = {
  ...valuesBefore(tierFields),
  id: 11,
  name: "Reserva",
  badge: null,
  position: 1,
  monthly_price_dollars: 25,
  trial_days: 0,
  requires_shipping_address: false,
  stripe_price_id: null,
  status: "active" as const,
  created_at,
};
const community = {
  ...valuesBefore(communityFields),
  id: 7,
  uuid: "0197a5b2-7d21-4e0f-8c3b-5a6b7c8d9e0f",
  name: "Mezcal Circle",
  slug: "mezcal-circle",
  owner_id: 3,
  avatar_url: null,
  status: "active" as const,
  trending_pin: null,
  created_at,
};
const brand = {
  ...valuesBefore(brandFields),
  id: "0197a5b2-6f3e-7c41-9a55-1d2b3c4d5e6f",
  name: "Alma",
  producer_ids: [],
  created_at,
};

const archived = { status: "archived" as const };

describe("a change of a community, tier, benefit or brand", () => {
  const told = (changes: ReturnType<typeof recordChanges>) => changes.map(({ type, previous }) => [type, previous]);

  const cases: readonly (readonly [
    string,
    ReturnType<typeof recordChanges>,
    readonly (readonly [string, object])[],
  ])[] = [
    ["a new benefit", recordChanges("benefit", undefined, benefit), [["benefit.created", {}]]],
    ["a new tier", recordChanges("tier", undefined, tier), [["tier.created", {}]]],
    ["a new community", recordChanges("community", undefined, community), [["community.created", {}]]],
    ["a new brand", recordChanges("brand", undefined, brand), [["brand.created", {}]]],
    [
      "another price",
      recordChanges("tier", tier, { ...tier, monthly_price_dollars: 30 }),
      [["tier.updated", { monthly_price_dollars: 25 }]],
    ],
    [
      "another owner",
      recordChanges("community", community, { ...community, owner_id: 4 }),
      [["community.updated", { owner_id: 3 }]],
    ],
    [
      "an archived tier",
      recordChanges("tier", tier, { ...tier, ...archived }),
      [["tier.archived", { status: "active" }]],
    ],
    [
      "an activated community",
      recordChanges("community", { ...community, ...archived }, community),
      [["community.activated", { status: "archived" }]],
    ],
    [
      "a benefit that is archived and edited in one write",
      recordChanges("benefit", benefit, { ...benefit, ...archived, name: "B" }),
      [
        ["benefit.archived", { status: "active", name: "A" }],
        ["benefit.updated", { status: "active", name: "A" }],
      ],
    ],
    ["a deleted tier", recordChanges("tier", tier, undefined), [["tier.deleted", {}]]],
    ["a deleted brand", recordChanges("brand", brand, undefined), [["brand.deleted", {}]]],
    ["a write that changes nothing that is shown", recordChanges("tier", tier, { ...tier }), []],
  ];
  it.each(cases.map((row) => ({ row, name: row[0], events: row[2].map(([type]) => type).join(", ") || "no event" })))(
    "$name sends $events",
    ({ row: [, changes, expected] }) => {
      expect(told(changes)).toEqual(expected);
    },
  );

  it("an event contains only the fields of its schema", () => {
    const stored = { ...tier, in_use: true, assignments: 3, version: 2 };
    expect(recordChanges("tier", undefined, stored)[0]?.data).toEqual({ tier });
  });

  it("the event of a deleted record contains its last state", () => {
    expect(recordChanges("benefit", benefit, undefined)[0]?.data).toEqual({ benefit });
  });
});
