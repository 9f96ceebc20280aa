import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemberStatus } from "#lib/domain/member-status.ts";
import { benefitChanges, type MemberState, memberChanges } from "#lib/events/changes.ts";

const member = (over: Partial<MemberState> = {}): MemberState => ({
  id: 5,
  community_id: 1,
  tier_id: 11,
  user: { id: 3 },
  status: "active",
  current_period_end: "2026-12-01T00:00:00.000Z",
  cancel_at_period_end: false,
  cancel_at: null,
  canceled_at: null,
  ended_at: null,
  is_blocked: false,
  total_refunded_cents: 0,
  refunds: [],
  ...over,
});

const refund = (status: MemberState["refunds"][number]["status"], refund_id = "re_1") => ({
  refund_id,
  charge_id: "ch_1",
  amount_cents: 700,
  reason: "unspecified" as const,
  status,
});

const types = (before: Partial<MemberState> | undefined, after: Partial<MemberState>) =>
  memberChanges(before && member(before), member(after)).map(({ type }) => type);

const scheduled = { cancel_at_period_end: true, cancel_at: "2026-12-01T00:00:00.000Z" };

describe("what happens to a member", () => {
  it.each<[string, Partial<MemberState> | undefined, Partial<MemberState>, string[]]>([
    ["is new and lets them in", undefined, {}, ["member.joined"]],
    ["is new and unpaid from the start", undefined, { status: "incomplete" }, []],
    ["is paid at last", { status: "incomplete" }, { status: "active" }, ["member.joined"]],
    ["is given up before it was paid", { status: "incomplete" }, { status: "canceled" }, []],
    ["is taken up again after it had ended", { status: "canceled" }, { status: "trialing" }, ["member.joined"]],
    ["is late, and paid again", { status: "past_due" }, { status: "active" }, []],
    ["is not paid for long", { status: "past_due" }, { status: "unpaid" }, []],
    [
      "ends as it was meant to",
      scheduled,
      { status: "canceled", ended_at: "2026-12-01T00:00:00.000Z" },
      ["member.canceled"],
    ],
    [
      "is to end on another day",
      scheduled,
      { ...scheduled, cancel_at: "2026-12-24T00:00:00.000Z" },
      ["member.cancel_scheduled"],
    ],
    [
      "is of somebody who was erased",
      { status: "canceled" },
      { status: "canceled", erased_at: "2026-11-21T12:00:00.000Z" },
      ["member.erased"],
    ],
    ["is new, and to end", undefined, scheduled, ["member.joined", "member.cancel_scheduled"]],
    [
      "is of somebody who was blocked",
      { is_blocked: true },
      { is_blocked: true, status: "canceled" },
      ["member.canceled"],
    ],
  ])("when the subscription %s", (_, before, after, expected) => {
    expect(types(before, after)).toEqual(expected);
  });

  it("member.joined and member.canceled take turns, one for each time a subscription becomes live or ends", () => {
    const statuses: MemberStatus[] = ["active", "trialing", "past_due", "unpaid", "canceled", "incomplete"];
    const live = new Set<MemberStatus>(["active", "trialing", "past_due", "unpaid"]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...statuses), { minLength: 1 }), (history) => {
        const moves = history
          .flatMap((status, n) => types(n === 0 ? undefined : { status: history[n - 1] ?? "active" }, { status }))
          .filter((type) => type === "member.joined" || type === "member.canceled");
        const turns = history.filter(
          (status, n) => live.has(status) !== (n > 0 && live.has(history[n - 1] ?? "active")),
        );
        expect(moves).toEqual(turns.map((status) => (live.has(status) ? "member.joined" : "member.canceled")));
        expect(moves).toEqual(moves.map((_, n) => (n % 2 === 0 ? "member.joined" : "member.canceled")));
      }),
    );
  });

  it("an event has the former values of the fields that changed", () => {
    const [change] = memberChanges(member(), member({ is_blocked: true }));
    expect(change).toMatchObject({ data: { id: 5, user_id: 3, is_blocked: true }, previous: { is_blocked: false } });
    expect(Object.keys(change?.previous ?? {})).toEqual(["is_blocked"]);
  });
});

describe("what happens to a refund", () => {
  it.each<[string, MemberState["refunds"], MemberState["refunds"], string[]]>([
    ["is made", [], [refund("succeeded")], ["refund.created"]],
    ["is on its way, and arrives", [refund("pending")], [refund("succeeded")], []],
    ["fails later", [refund("succeeded")], [refund("failed")], ["refund.failed"]],
    ["is canceled after it failed", [refund("failed")], [refund("canceled")], []],
    ["has failed before anybody saw it", [], [refund("failed")], ["refund.created", "refund.failed"]],
    [
      "is pushed out of the newest by another",
      [refund("succeeded")],
      [refund("succeeded", "re_2")],
      ["refund.created"],
    ],
  ])("that %s", (_, before, after, expected) => {
    expect(types({ refunds: before }, { refunds: after })).toEqual(expected);
  });
});

it("a benefit that is archived and edited in one request sends both events", () => {
  const benefit = {
    id: 1,
    community_id: 1,
    name: "A",
    description: "",
    position: 1,
    tier_ids: [],
    status: "active" as const,
  };
  const changes = benefitChanges(benefit, { ...benefit, name: "B", status: "archived" });
  expect(changes.map(({ type, previous }) => [type, previous])).toEqual([
    ["benefit.archived", { status: "active" }],
    ["benefit.updated", { name: "A" }],
  ]);
});
