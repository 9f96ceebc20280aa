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
