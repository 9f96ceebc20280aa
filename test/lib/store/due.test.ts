import { describe, expect, it } from "vitest";
import { isDue, nextLookAt } from "#lib/store/due.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { memberOf } from "../../support/given.ts";

const community = { id: 1, owner: { id: 1 }, tier: { id: 2 } } as never;

const monthly = { current_period_start: "2026-11-03T09:30:00.000Z", current_period_end: "2026-12-03T09:30:00.000Z" };
const longMonth = { current_period_start: "2026-12-03T09:30:00.000Z", current_period_end: "2027-01-03T09:30:00.000Z" };
const yearly = { current_period_start: "2026-11-03T09:30:00.000Z", current_period_end: "2027-11-03T09:30:00.000Z" };
const trial = {
  ...monthly,
  status: "trialing",
  trial_start: monthly.current_period_start,
  trial_end: monthly.current_period_end,
} as const;
const withoutStripe = { stripe_customer_id: null, stripe_subscription_id: null };

const of = (over: Partial<StoredMember>): StoredMember => memberOf(community, { stripe_customer_id: "cus_1", ...over });

describe("the next check of a member", () => {
  it.each<[string, Partial<StoredMember>, string | undefined, string | undefined]>([
    ["is at the end of a month of 30 days", monthly, undefined, "2026-12-03T09:30:00.000Z"],
    ["is after 30 days of a month of 31 days", longMonth, undefined, "2027-01-02T09:30:00.000Z"],
    [
      "is at the end of a month of 31 days after the check on its 30th day",
      longMonth,
      "2027-01-02T09:45:00.000Z",
      "2027-01-03T09:30:00.000Z",
    ],
    ["is 30 days after the start of a yearly period", yearly, undefined, "2026-12-03T09:30:00.000Z"],
    [
      "is 60 days after the start of a yearly period after the first check",
      yearly,
      "2026-12-03T09:44:00.000Z",
      "2027-01-02T09:30:00.000Z",
    ],
    [
      "is at the next multiple of 30 days after a late check",
      yearly,
      "2027-02-05T00:00:00.000Z",
      "2027-03-03T09:30:00.000Z",
    ],
    [
      "is at the end of a yearly period if that is less than 30 days away",
      yearly,
      "2027-10-30T00:00:00.000Z",
      "2027-11-03T09:30:00.000Z",
    ],
    [
      "stays at the end of a yearly period after that has passed",
      yearly,
      "2027-11-04T00:00:00.000Z",
      "2027-11-03T09:30:00.000Z",
    ],
    ["is 3 days before the end of a trial", trial, undefined, "2026-11-30T09:30:00.000Z"],
    ["does not exist for a canceled membership", { ...yearly, status: "canceled" }, undefined, undefined],
    [
      "does not exist without a Stripe customer and a scheduled end",
      { ...yearly, ...withoutStripe },
      undefined,
      undefined,
    ],
    [
      "is at the scheduled end without a Stripe customer",
      { ...yearly, ...withoutStripe, cancel_at: "2027-06-01T00:00:00.000Z" },
      undefined,
      "2027-06-01T00:00:00.000Z",
    ],
  ])("the next check of a member %s", (_, over, checkedAt, expected) => {
    expect(nextLookAt(of(over), checkedAt === undefined ? undefined : new Date(checkedAt))).toBe(expected);
  });

  it("a member with a yearly period is checked at least every 30 days", () => {
    const member = of(yearly);
    let last = Date.parse(yearly.current_period_start);
    for (let looks = 1; last < Date.parse(yearly.current_period_end); looks++) {
      const next = Date.parse(nextLookAt(member, new Date(last)) ?? "");
      expect(next - last).toBeGreaterThan(0);
      expect(next - last).toBeLessThanOrEqual(30 * 86_400_000);
      expect(isDue(member, new Date(next))).toBe(true);
      expect(looks).toBeLessThan(20);
      last = next;
    }
  });
});
