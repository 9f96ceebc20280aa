import { describe, expect, it } from "vitest";
import { auditEntriesOf, memberAfter } from "#lib/billing/derive.ts";
import { paidByDay } from "#lib/billing/payments.ts";
import type { SoldTier } from "#lib/billing/renewal.ts";
import { apply, changeOf, noFigures } from "#lib/domain/figures.ts";
import type { Operation } from "#lib/domain/operation.ts";
import type { Payment, StoredRefund } from "#lib/store/facts.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { memberOf } from "../../support/given.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const created_at = "2026-10-31T23:59:59.000Z";
const charge = { id: "ch_1", paid_cents: 100_000, created_at };
const payments = [{ charges: [charge], paid_off_stripe_cents: 0, paid_at: null, created_at }] as unknown as Payment[];

/** One a minute since yesterday noon, a cent more each time. */
const refund = (n: number): StoredRefund => ({
  refund_id: `re_${n}`,
  charge_id: "ch_1",
  amount_cents: n + 1,
  reason: "unspecified",
  status: n % 10 === 0 ? "failed" : "succeeded",
  note: null,
  issued_by: null,
  issued_at: new Date(now.getTime() - 86_400_000 + n * 60_000).toISOString(),
  operation_id: null,
});

describe("a member with more refunds than their record shows", () => {
  const refunds = Array.from({ length: 250 }, (_, n) => refund(n));
  const member = memberOf({ id: 1, owner: { id: 1 }, tier: { id: 2 } } as never);
  const after = (count: number) =>
    memberAfter(member, undefined, undefined, {
      payments,
      refunds: refunds.slice(0, count),
      disputes: [],
      tiers: [],
      now,
    });

  it("a member's record shows the newest 100 refunds", () => {
    expect(after(250).refunds.map(({ refund_id }) => refund_id)).toEqual(
      Array.from({ length: 100 }, (_, n) => `re_${249 - n}`),
    );
  });

  it("the figures count all refunds that have not failed, however many the record shows", () => {
    const steps = [0, 1, 99, 100, 101, 230, 250].map(after);
    const changes = steps.slice(1).flatMap((step, n) => changeOf(steps[n], step) ?? []);
    const expected = refunds.reduce(
      (sum, { status, amount_cents }) => sum + (status === "failed" ? 0 : amount_cents),
      0,
    );
    expect(changes.reduce(apply, noFigures).refunded_cents).toEqual({ "2026-11-20": expected });
  });
});

it("a synchronization copies whether the member's tier requires a shipping address", () => {
  const member = memberOf({ id: 1, owner: { id: 1 }, tier: { id: 2 } } as never);
  const required = (tiers: readonly Partial<SoldTier>[]) =>
    memberAfter(member, undefined, undefined, {
      payments: [],
      refunds: [],
      disputes: [],
      tiers: tiers as SoldTier[],
      now,
    });
  const ships = { id: 2, requires_shipping_address: true };
  expect(required([{ id: 1 }, ships])).toMatchObject({
    requires_shipping_address: true,
    updated_at: now.toISOString(),
  });
  expect(required([{ ...ships, id: 3 }]).requires_shipping_address).toBe(false);
});

describe("a synchronization", () => {
  const given = memberOf({ id: 1, owner: { id: 1 }, tier: { id: 2 } } as never, { lifetime_spend_cents: 0 });
  const refunds = Array.from({ length: 103 }, (_, n) => ({
    ...refund(n),
    issued_at: new Date(now.getTime() - n * 86_400_000).toISOString(),
  }));
  const synced = (before: typeof given) =>
    memberAfter(before, undefined, undefined, { payments, refunds, disputes: [], tiers: [], now });
  const member = synced(given);

  it.each([
    ["does not change anything", {}],
    ["changes only the order of a map", Object.entries(member.older_refunds_cents).toReversed()],
    ["changes only fields that no record shows", { "2020-01-01": 5 }],
  ])("a synchronization that %s keeps the version and updated_at", (_, older) => {
    const before = { ...member, updated_at: "2026-11-01T00:00:00.000Z" };
    const older_refunds_cents = Array.isArray(older)
      ? Object.fromEntries(older)
      : { ...member.older_refunds_cents, ...older };
    const { version, updated_at } = synced({ ...before, older_refunds_cents });
    expect({ version, updated_at }).toEqual({ version: before.version, updated_at: before.updated_at });
  });

  it("a synchronization that changes a sum sets updated_at", () => {
    const before = { ...member, updated_at: "2026-11-01T00:00:00.000Z", lifetime_spend_cents: 1 };
    const { version, updated_at } = synced(before);
    expect({ version, updated_at }).toEqual({ version: before.version, updated_at: now.toISOString() });
  });
});

it("a payment counts on the day its invoice was paid, or on the day of its charge if it is not fully paid", () => {
  const [first] = payments;
  const paid_at = "2026-11-02T00:00:00.000Z";
  const later = { ...first, paid_at, paid_off_stripe_cents: 7, charges: [charge, { ...charge, paid_cents: 0 }] };
  const unpaid = { ...first, charges: [{ ...charge, paid_cents: 0 }] };
  expect(paidByDay([...payments, later, unpaid] as Payment[])).toEqual({
    "2026-10-31": 100_000,
    "2026-11-02": 100_007,
  });
});

it.each([
  [{ monthly_cents: 0 }, undefined],
  [{ monthly_cents: 900 }, "2026-01-01T00:00:00.000Z"],
  [{ monthly_cents: 0, first_paying_at: created_at }, created_at],
])("a member with %j and without a paid subscription has the first_paying_at %s", (over, at) => {
  const before = memberOf({ id: 1, owner: { id: 1 }, tier: { id: 2 } } as never, over);
  const seen = { payments: [], refunds: [], disputes: [], tiers: [], now };
  expect(memberAfter(before, undefined, undefined, seen).first_paying_at).toBe(at);
});

const later = "2027-01-01T00:00:00.000Z";
const end = { cancel_at: "2026-12-01T00:00:00.000Z", cancel_at_period_end: true };
const plan = { tier: { id: 3, name: "Cask" }, interval: "month", price_cents: 900, at: later } as const;
const kinds = ["refund", "cancel", "uncancel", "change", "unschedule", "reject"] as const;

it.each<[string, Partial<StoredMember>, Partial<StoredMember>, readonly (typeof kinds)[number][]]>([
  ["canceled", {}, { status: "canceled", ended_at: now.toISOString() }, ["cancel"]],
  ["status_changed", {}, { status: "past_due" }, []],
  ["cancel_scheduled", {}, end, ["cancel"]],
  ["cancel_scheduled", { cancel_at: later }, end, ["cancel"]],
  ["uncanceled", end, {}, ["uncancel"]],
  ["tier_changed", {}, { tier_id: 3 }, ["change"]],
  ["interval_changed", { interval: "month" }, { interval: "year" }, ["change"]],
  ["change_scheduled", {}, { scheduled_change: plan }, ["change"]],
  ["change_scheduled", { scheduled_change: plan }, { scheduled_change: { ...plan, price_cents: 800 } }, ["change"]],
  ["change_canceled", { scheduled_change: plan }, {}, ["unschedule", "change", "cancel"]],
])("the entry %s of a member with %j who has %j then names the person only after one of %j", (action, was, is, own) => {
  const member = memberOf({ id: 1, owner: { id: 1 }, tier: { id: 2 } } as never, { cancel_at: null });
  for (const kind of kinds) {
    const operation = { intent: { kind }, actor_id: 7, request_id: "request" } as unknown as Operation;
    const entries = auditEntriesOf({ ...member, ...was }, { ...member, ...is }, [operation]);
    const actor = own.includes(kind) ? { type: "user", id: 7 } : { type: "stripe", id: null };
    expect({ kind, entries }).toMatchObject({ kind, entries: [{ action, actor }] });
  }
});

it.each<[string, Partial<StoredMember>, Partial<StoredMember>]>([
  ["whose end moves with the period", end, { ...end, cancel_at: later }],
  ["whose end is moved to a later period", { cancel_at: end.cancel_at }, { cancel_at: later }],
  ["who has changed nothing", end, end],
])("a member %s has no new entry", (_, was, is) => {
  const member = memberOf({ id: 1, owner: { id: 1 }, tier: { id: 2 } } as never);
  expect(auditEntriesOf({ ...member, ...was }, { ...member, ...is }, [])).toEqual([]);
});
