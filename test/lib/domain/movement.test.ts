import { describe, expect, it } from "vitest";
import { movementBetween, type Recorded } from "#lib/domain/movement.ts";
import { monthlyChange, sumsOfMovement } from "#lib/domain/series.ts";

const member: Recorded = { status: "active", is_blocked: false, monthly_cents: 2_500, first_paying_at: "2026-01-01" };
const gone = { ...member, status: "canceled", monthly_cents: 0 } as const;
const trial = { ...member, status: "trialing", monthly_cents: 0, first_paying_at: undefined } as const;

describe("a movement of a member who", () => {
  it.each<[string, Recorded | undefined, Recorded, string | null, string | null, object]>([
    ["joins and pays", undefined, member, "begun", "new", { joined: 1, new_cents: 2_500, new_members: 1 }],
    ["joins with a trial", undefined, trial, "begun", null, { joined: 1 }],
    ["pays after a trial", trial, member, null, "new", { new_cents: 2_500, new_members: 1 }],
    ["leaves after a trial", trial, { ...trial, status: "canceled" }, "ended", null, { left: 1 }],
    [
      "comes back",
      gone,
      member,
      "begun",
      "reactivated",
      { joined: 1, reactivated_cents: 2_500, reactivated_members: 1 },
    ],
    ["leaves", member, gone, "ended", "churned", { left: 1, churned_cents: -2_500, churned_members: 1 }],
    ["is marked as erased", member, { ...member, erased_at: "2026-02-01" } as Recorded, null, null, {}],
    [
      "leaves after being marked as erased",
      { ...member, erased_at: "2026-02-01" } as Recorded,
      { ...gone, erased_at: "2026-02-01" } as Recorded,
      "ended",
      "churned",
      { left: 1, churned_cents: -2_500, churned_members: 1 },
    ],
    ["is overdue", member, { ...member, status: "past_due" }, null, null, {}],
    ["is blocked", member, { ...member, is_blocked: true }, "ended", null, { left: 1 }],
    ["is unblocked", { ...member, is_blocked: true }, member, "begun", null, { joined: 1 }],
    [
      "leaves while blocked",
      { ...member, is_blocked: true },
      { ...gone, is_blocked: true },
      null,
      "churned",
      { churned_cents: -2_500, churned_members: 1 },
    ],
    [
      "pays more",
      member,
      { ...member, monthly_cents: 4_000 },
      null,
      "expansion",
      { expansion_cents: 1_500, expansion_members: 1 },
    ],
    [
      "pays less",
      member,
      { ...member, monthly_cents: 1 },
      null,
      "contraction",
      { contraction_cents: -2_499, contraction_members: 1 },
    ],
    ["pauses", member, { ...member, monthly_cents: 0 }, null, "churned", { churned_cents: -2_500, churned_members: 1 }],
  ])("the movement of a member who %s has the right kind and sums", (_, before, after, access, kind, sums) => {
    const movement = movementBetween(before, after);
    expect(movement?.access ?? null).toBe(access);
    expect(movement?.monthly?.kind ?? null).toBe(kind);
    const counted = movement ? sumsOfMovement(movement) : {};
    expect(counted).toEqual(sums);
    expect(monthlyChange(counted)).toBe(after.monthly_cents - (before?.monthly_cents ?? 0));
  });

  it("a change of neither access nor the monthly amount is recorded as no movement", () => {
    expect(movementBetween(member, { ...member, status: "past_due" })).toBeUndefined();
    expect(movementBetween(undefined, { ...trial, status: "incomplete" })).toBeUndefined();
  });
});
