import { expect, it } from "vitest";
import member from "#lib/fields/oldest/member.json" with { type: "json" };
import tier from "#lib/fields/oldest/tier.json" with { type: "json" };
import * as members from "#lib/store/members/item.ts";
import * as tiers from "#lib/store/tiers.ts";

it("a tier that the first release stored is read as it is", () => {
  const { pk: _, sk: __, ...stored } = tier;
  expect(tiers.fromItem(tier)).toEqual(stored);
});

it("a member that the first release stored is read with the fields that were added since", () => {
  const { pk: _, sk: __, status_pk: ___, tier_pk: ____, blocked_pk: _____, user, ...stored } = member;
  const { id, username, email, first_name, last_name } = user;
  expect(members.fromItem(member)).toEqual({
    ...stored,
    user: { id, username, email, first_name, last_name },
    monthly_cents: 0,
    paid_cents_by_day: {},
  });
});
