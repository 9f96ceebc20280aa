import { describe, expect, it } from "vitest";
import { inLastDays, keepDays } from "#lib/domain/figure-days.ts";
import {
  apply,
  type Counted,
  cellsOf,
  changeOf,
  changeOfDays,
  countOf,
  memberCount,
  noFigures,
} from "#lib/domain/figures.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const joined = "2026-11-03T10:00:00.000Z";

const member: Counted = {
  status: "active",
  tier_id: 11,
  is_blocked: false,
  first_granted_at: joined,
  ended_at: null,
  refunds: [],
  older_refunds_cents: {},
  paid_cents_by_day: {},
  disputed_cents_by_day: {},
  recorded_since: "2026-10-01T00:00:00.000Z",
  monthly_cents: 0,
};

const refund = { amount_cents: 500, status: "pending", issued_at: "2026-11-05T23:59:59.999Z" } as const;

it.each<[string, Counted | undefined, Counted | undefined, object | undefined]>([
  [
    "joins",
    undefined,
    member,
    { members: { "active/11/open": 1 }, joined: { "2026-11-03": 1 }, joiners: 1, joins: [new Date(joined)] },
  ],
  ["is imported", undefined, { ...member, first_granted_at: null }, { joined: {}, joiners: 0, joins: [] }],
  ["is edited", member, { ...member }, undefined],
  [
    "changes tier",
    member,
    { ...member, tier_id: 12 },
    { members: { "active/11/open": -1, "active/12/open": 1 }, joined: {}, joiners: 0, joins: [] },
  ],
  [
    "is blocked",
    member,
    { ...member, is_blocked: true },
    { members: { "active/11/open": -1, "active/11/blocked": 1 } },
  ],
  [
    "gets access after the first payment",
    { ...member, status: "incomplete", first_granted_at: null },
    member,
    { joined: { "2026-11-03": 1 }, joiners: 1, joins: [new Date(joined)] },
  ],
  [
    "leaves",
    member,
    { ...member, status: "canceled", ended_at: "2026-11-20T00:00:00.000Z" },
    { left: { "2026-11-20": 1 }, joiners: 0, joins: [] },
  ],
  [
    "comes back",
    { ...member, status: "canceled", ended_at: "2026-11-20T00:00:00.000Z" },
    member,
    { left: { "2026-11-20": -1 }, joined: {}, joiners: 0, joins: [] },
  ],
  [
    "leaves without ever having paid",
    { ...member, status: "incomplete", first_granted_at: null },
    { ...member, status: "canceled", first_granted_at: null, ended_at: "2026-11-20T00:00:00.000Z" },
    { left: {} },
  ],
  [
    "is refunded",
    member,
    { ...member, refunds: [refund, refund] },
    { members: {}, refunded_cents: { "2026-11-05": 1_000 } },
  ],
  [
    "has a refund that fails",
    { ...member, refunds: [refund] },
    { ...member, refunds: [{ ...refund, status: "failed" }] },
    { refunded_cents: { "2026-11-05": -500 } },
  ],
  [
    "has a refund that is canceled",
    { ...member, refunds: [refund] },
    { ...member, refunds: [{ ...refund, status: "canceled" }] },
    { refunded_cents: { "2026-11-05": -500 } },
  ],
  [
    "has a refund that waits for the customer",
    member,
    { ...member, refunds: [{ ...refund, status: "requires_action" }] },
    { refunded_cents: { "2026-11-05": 500 } },
  ],
  [
    "has more refunds than are stored separately",
    { ...member, refunds: [refund] },
    { ...member, refunds: [{ ...refund, amount_cents: 7 }], older_refunds_cents: { "2026-11-05": 500 } },
    { members: {}, refunded_cents: { "2026-11-05": 7 } },
  ],
  [
    "pays",
    { ...member, paid_cents_by_day: { "2026-10-03": 2_500 }, refunds: [refund] },
    {
      ...member,
      paid_cents_by_day: { "2026-10-03": 2_500, "2026-11-03": 2_500 },
      refunds: [{ ...refund, status: "failed" }],
    },
    { members: {}, days: { "2026-11-03": { paid_cents: 2_500 }, "2026-11-05": { refunded_cents: -500 } } },
  ],
  [
    "was stored by an earlier version",
    { ...member, recorded_since: undefined },
    { ...member, recorded_since: undefined, paid_cents_by_day: { "2026-10-03": 2_500 }, refunds: [refund] },
    { refunded_cents: { "2026-11-05": 500 }, days: {} },
  ],
  [
    "gets recorded_since from the backfill",
    { ...member, recorded_since: undefined, refunds: [refund] },
    { ...member, paid_cents_by_day: { "2026-10-03": 2_500 }, refunds: [refund] },
    { refunded_cents: {}, days: { "2026-10-03": { paid_cents: 2_500 }, "2026-11-05": { refunded_cents: 500 } } },
  ],
  [
    "has a refund that succeeds",
    { ...member, refunds: [refund] },
    { ...member, refunds: [{ ...refund, status: "succeeded" }] },
    undefined,
  ],
])("the figures change as expected for a member who %s", (_, before, after, change) => {
  if (change) expect(changeOf(before, after)).toMatchObject(change);
  else expect(changeOf(before, after)).toBeUndefined();
});

describe("members by status, tier and block", () => {
  const figures = [
    member,
    member,
    { ...member, is_blocked: true },
    { ...member, status: "trialing" as const, tier_id: 12 },
    { ...member, status: "unpaid" as const },
  ].reduce((sum, each) => apply(sum, changeOf(undefined, each) ?? changeOfDays({})), noFigures);
  const cells = cellsOf(figures);

  it.each([
    [{}, 5],
    [{ status: "active" }, 3],
    [{ tier_id: 12 }, 1],
    [{ is_blocked: true }, 1],
    [{ status: "active", is_blocked: false }, 2],
    [{ status: "active", tier_id: 12 }, 0],
  ] as const)("the number of members with %j is %i", (filter, count) => {
    expect(countOf(cells, filter)).toBe(count);
  });

  it("the member count includes all statuses with access and excludes blocked members", () => {
    expect(memberCount(cells)).toBe(3);
  });
});

describe("figures by day", () => {
  const byDay = { "2026-11-21": 1, "2026-10-23": 2, "2026-10-22": 4, "2026-10-21": 8 };

  it("figures by day are summed over 30 days including today", () => {
    expect(inLastDays(byDay, now)).toBe(3);
  });

  it("figures by day are kept for one day longer than they are shown", () => {
    const { joined: kept, members } = keepDays({ ...noFigures, joined: byDay, members: { "active/1/open": 1 } }, now);
    expect(kept).toEqual({ "2026-11-21": 1, "2026-10-23": 2, "2026-10-22": 4 });
    expect(members).toEqual({ "active/1/open": 1 });
  });
});
