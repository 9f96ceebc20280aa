import { describe, expect, it } from "vitest";
import { accessOf, isMember, type Subscription } from "#lib/domain/access.ts";

const end = "2026-12-01T00:00:00.000Z";
const standing = (over: Partial<Subscription>): Subscription => ({
  status: "active",
  is_blocked: false,
  cancel_at_period_end: false,
  cancel_at: null,
  current_period_end: end,
  ...over,
});

describe("access to a community", () => {
  it.each([
    ["active", {}, true, "active", null],
    ["trialing", { status: "trialing" }, true, "trialing", null],
    ["past due, while Stripe retries the payment", { status: "past_due" }, true, "past_due", null],
    ["unpaid", { status: "unpaid" }, false, "unpaid", null],
    ["canceled", { status: "canceled" }, false, "ended", null],
    ["incomplete", { status: "incomplete" }, false, "incomplete", null],
    ["leaving at the period's end", { cancel_at_period_end: true }, true, "canceling", end],
    ["leaving on a day", { cancel_at: "2026-11-25T00:00:00.000Z" }, true, "canceling", "2026-11-25T00:00:00.000Z"],
    ["blocked, though paying", { is_blocked: true }, false, "blocked", null],
    ["erased, whatever the stored status", { erased_at: end }, false, "ended", null],
    ["erased with a scheduled end", { erased_at: end, cancel_at_period_end: true }, false, "ended", null],
    ["blocked and canceled", { is_blocked: true, status: "canceled" }, false, "blocked", null],
  ] as const)("accessOf and isMember decide rightly for a member who is %s", (_, over, granted, reason, until) => {
    expect(accessOf(false, standing(over))).toEqual({ granted, reason, until });
    expect(isMember(standing(over))).toBe(granted);
  });

  it("the owner of a community always has access, but does not count as a member", () => {
    expect(accessOf(true, undefined)).toEqual({ granted: true, reason: "owner", until: null });
    expect(isMember(undefined)).toBe(false);
  });
});
