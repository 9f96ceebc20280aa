import { expect, it } from "vitest";
import { memberImport } from "../../../client/cli/members.ts";
import type { Opened } from "../../../client/cli/session.ts";

it("a file of members may have each person, id and Stripe customer once", async () => {
  const publicOdis = { get: async () => ({ data: [] }) };
  const { claimsOf } = await memberImport({ publicOdis } as unknown as Opened, 1, new Map());
  const user = { id: 5, email: " Ana@Example.com " };
  expect(claimsOf?.({ id: 7, user, stripe_customer_id: "cus_1" })).toEqual([
    "/user 5",
    "/user ana@example.com",
    "/id 7",
    "/stripe_customer_id cus_1",
  ]);
  expect(claimsOf?.({ user: {}, stripe_customer_id: null })).toEqual([]);
});

it.each([
  { tier_id: 7, tier_name: "Joven", sent: 31, why: "the id that --tier gives for the one in the file" },
  { tier_id: 11, tier_name: "Joven", sent: 11, why: "the id in the file if the community has that tier" },
  { tier_id: 8, tier_name: "Joven", sent: 21, why: "the only tier with the name in the file" },
  { tier_id: 8, tier_name: "Añejo", sent: 8, why: "the id in the file if two tiers have the name" },
  { tier_id: 8, tier_name: "Blanco", sent: 8, why: "the id in the file if no tier has the name" },
  { tier_id: undefined, tier_name: "Joven", sent: 21, why: "the only tier with the name if the file has no id" },
  { tier_id: undefined, tier_name: "Añejo", sent: undefined, why: "none if two tiers have the name" },
])("an imported member gets $why", async ({ tier_id, tier_name, sent }) => {
  const tiers = [
    { id: 11, name: "Añejo" },
    { id: 12, name: "Añejo" },
    { id: 21, name: "Joven" },
    { id: 31, name: "Reposado" },
  ];
  const publicOdis = { get: async () => ({ data: tiers }) };
  const { prepare } = await memberImport({ publicOdis } as unknown as Opened, 1, new Map([[7, 31]]));
  expect(prepare?.({ id: 5, tier_id, tier_name })).toEqual({ id: 5, tier_id: sent });
});
