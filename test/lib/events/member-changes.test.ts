import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MemberState, memberChanges } from "#lib/events/member-changes.ts";
import type { MemberStatus } from "#lib/values/member-status.ts";
import { type Before, member, types } from "../../support/member-states.ts";

const toReserva = {
  tier: { id: 12, name: "Reserva" },
  interval: "month",
  price_cents: 1200,
  at: "2026-12-01T00:00:00.000Z",
} as const;
const changing = { scheduled_change: toReserva };

/** The events of a move between two statuses, without a block, in the order of docs/api.md, section 10. */
const moves: readonly (readonly [MemberStatus | "none", MemberStatus, readonly string[]])[] = [
  ["none", "active", ["member.joined", "access.granted"]],
  ["none", "trialing", ["member.joined", "access.granted"]],
  ["none", "past_due", ["member.joined", "member.past_due", "access.granted"]],
  ["none", "unpaid", ["member.unpaid"]],
  ["none", "canceled", ["member.canceled"]],
  ["none", "incomplete", ["member.updated"]],
  ["active", "active", []],
  ["active", "trialing", ["access.granted"]],
  ["active", "past_due", ["member.past_due", "access.granted"]],
  ["active", "unpaid", ["member.unpaid", "access.revoked"]],
  ["active", "canceled", ["member.canceled", "access.revoked"]],
  ["active", "incomplete", ["access.revoked"]],
  ["trialing", "active", ["access.granted"]],
  ["trialing", "trialing", []],
  ["trialing", "past_due", ["member.past_due", "access.granted"]],
  ["trialing", "unpaid", ["member.unpaid", "access.revoked"]],
  ["trialing", "canceled", ["member.canceled", "access.revoked"]],
  ["trialing", "incomplete", ["access.revoked"]],
  ["past_due", "active", ["member.recovered", "access.granted"]],
  ["past_due", "trialing", ["access.granted"]],
  ["past_due", "past_due", []],
  ["past_due", "unpaid", ["member.unpaid", "access.revoked"]],
  ["past_due", "canceled", ["member.canceled", "access.revoked"]],
  ["past_due", "incomplete", ["access.revoked"]],
  ["unpaid", "active", ["member.recovered", "access.granted"]],
  ["unpaid", "trialing", ["access.granted"]],
  ["unpaid", "past_due", ["member.past_due", "access.granted"]],
  ["unpaid", "unpaid", []],
  ["unpaid", "canceled", ["member.canceled"]],
  ["unpaid", "incomplete", ["member.updated"]],
  ["canceled", "active", ["member.joined", "access.granted"]],
  ["canceled", "trialing", ["member.joined", "access.granted"]],
  ["canceled", "past_due", ["member.joined", "member.past_due", "access.granted"]],
  ["canceled", "unpaid", ["member.unpaid"]],
  ["canceled", "canceled", []],
  ["canceled", "incomplete", ["member.updated"]],
  ["incomplete", "active", ["member.joined", "access.granted"]],
  ["incomplete", "trialing", ["member.joined", "access.granted"]],
  ["incomplete", "past_due", ["member.joined", "member.past_due", "access.granted"]],
  ["incomplete", "unpaid", ["member.unpaid"]],
  ["incomplete", "canceled", ["member.canceled"]],
  ["incomplete", "incomplete", []],
];

describe("a move between statuses", () => {
  it.each(moves)("a status change from %s to %s sends the events of the status table", (from, status, expected) => {
    expect(types(from === "none" ? undefined : { status: from }, { status })).toEqual(expected);
  });

  it.each(moves)("a blocked member's status change from %s to %s sends no access event", (from, status, expected) => {
    const is_blocked = true;
    const ofMember = expected.filter((type) => !type.startsWith("access."));
    const isNew = from === "none";
    const isOtherwiseSilent = ofMember.length === 0 && from !== status;
    const sent = types(isNew ? undefined : { status: from, is_blocked }, { status, is_blocked });
    expect(sent.filter((type) => type !== "member.blocked")).toEqual(
      isNew ? ofMember.filter((type) => type !== "member.updated") : isOtherwiseSilent ? ["member.updated"] : ofMember,
    );
  });
});

const later = "2027-01-01T00:00:00.000Z";
const scheduled = { cancel_at_period_end: true, cancel_at: "2026-12-01T00:00:00.000Z" };
const address = { name: "", line1: "A", line2: "", city: "B", state: "", postal_code: "", country: "MX", phone: "" };

type Case = readonly [name: string, before: Before, after: Partial<MemberState>, events: readonly string[]];
const titled = (cases: readonly Case[]) =>
  cases.map((row) => ({ row, name: row[0], events: row[3].join(", ") || "no event" }));

it.each(
  titled([
    ["a renewal", {}, { current_period_end: later }, ["member.renewed"]],
    [
      "a renewal of a past-due member",
      { status: "past_due" },
      { current_period_end: later },
      ["member.renewed", "member.recovered", "access.granted"],
    ],
    [
      "a new period without access",
      { status: "unpaid" },
      { status: "unpaid", current_period_end: later },
      ["member.updated"],
    ],
    [
      "the end of a trial that begins to pay",
      { status: "trialing" },
      { current_period_end: later },
      ["member.renewed", "access.granted"],
    ],
    ["a period that ends earlier", {}, { current_period_end: "2026-11-30T00:00:00.000Z" }, ["member.updated"]],
    ["a new tier", {}, { tier_id: 12 }, ["member.tier_changed"]],
    ["another interval", {}, { interval: "year" }, ["member.updated"]],
    ["an interval that was unknown", { interval: null }, {}, ["member.updated"]],
    [
      "a renewal with another interval",
      {},
      { interval: "year", current_period_end: later },
      ["member.renewed", "member.updated"],
    ],
    ["another price of the next renewal", {}, { price_cents: 900 }, ["member.updated"]],
    ["a scheduled change", {}, changing, ["member.change_scheduled"]],
    [
      "another scheduled change",
      changing,
      { scheduled_change: { ...toReserva, interval: "year" } },
      ["member.change_scheduled"],
    ],
    [
      "a new name of the scheduled tier",
      changing,
      { scheduled_change: { ...toReserva, tier: { id: 12, name: "Reposado" } } },
      ["member.updated"],
    ],
    ["a scheduled change that is taken back", changing, {}, ["member.change_canceled"]],
    ["a scheduled change that is made", changing, { tier_id: 12, price_cents: 1200 }, ["member.tier_changed"]],
    [
      "a change to another tier than the scheduled one",
      changing,
      { tier_id: 13 },
      ["member.tier_changed", "member.change_canceled"],
    ],
    [
      "a cancellation that drops a scheduled change",
      changing,
      { ...scheduled, price_cents: null },
      ["member.cancel_scheduled", "member.change_canceled", "access.granted"],
    ],
    [
      "the end of a member with a scheduled change",
      changing,
      { status: "canceled", price_cents: null },
      ["member.canceled", "member.change_canceled", "access.revoked"],
    ],
    ["a scheduled end", {}, scheduled, ["member.cancel_scheduled", "access.granted"]],
    [
      "a new subscription with a scheduled end",
      undefined,
      scheduled,
      ["member.joined", "member.cancel_scheduled", "access.granted"],
    ],
    [
      "another scheduled end",
      scheduled,
      { ...scheduled, cancel_at: later },
      ["member.cancel_scheduled", "access.granted"],
    ],
    ["the withdrawal of a scheduled end", scheduled, {}, ["member.uncanceled", "access.granted"]],
    ["the scheduled end itself", scheduled, { status: "canceled" }, ["member.canceled", "access.revoked"]],
    ["a block", {}, { is_blocked: true }, ["member.blocked", "access.revoked"]],
    [
      "a block of a member without access",
      { status: "unpaid" },
      { status: "unpaid", is_blocked: true },
      ["member.blocked"],
    ],
    ["an unblock", { is_blocked: true }, {}, ["member.unblocked", "access.granted"]],
    [
      "an unblock after the end",
      { status: "canceled", is_blocked: true },
      { status: "canceled" },
      ["member.unblocked"],
    ],
    [
      "an unblock in the same write as the end",
      { is_blocked: true },
      { status: "canceled" },
      ["member.canceled", "member.unblocked"],
    ],
    ["an address", {}, { shipping_address: address }, ["member.updated"]],
    ["an address that is removed", { shipping_address: address }, {}, ["member.updated"]],
    ["a new member with an address", undefined, { shipping_address: address }, ["member.joined", "access.granted"]],
    ["a sum alone", {}, { lifetime_spend_cents: 5000 }, ["member.updated"]],
    ["the mark of an erasure", { status: "canceled" }, { status: "canceled", erased_at: later }, ["member.erased"]],
    [
      "an erasure that ends the membership",
      {},
      { status: "canceled", ended_at: later, erased_at: later },
      ["member.canceled", "access.revoked", "member.erased"],
    ],
    [
      "the end of an erased membership that an earlier version left active",
      { erased_at: later },
      { status: "canceled", ended_at: later, erased_at: later },
      ["member.canceled", "access.revoked"],
    ],
    [
      "a renewal of a subscription that outlives an erasure",
      { erased_at: later, sync_version: 1 },
      { erased_at: later, sync_version: 2, current_period_end: later },
      ["member.renewed"],
    ],
    [
      "the end of a subscription that outlives an erasure",
      { erased_at: later, sync_version: 1 },
      { status: "canceled", ended_at: later, erased_at: later, sync_version: 2 },
      ["member.canceled"],
    ],
    [
      "an address that an erasure removes",
      { status: "canceled", erased_at: later, shipping_address: address },
      { status: "canceled", erased_at: later },
      [],
    ],
    [
      "the announcement of the end of a trial",
      { status: "trialing" },
      { status: "trialing", trial_announced: later },
      ["member.trial_ending"],
    ],
    [
      "a trial that has already been announced",
      { status: "trialing", trial_announced: later },
      { status: "trialing", trial_announced: later },
      [],
    ],
    ["a pause that was asked for", {}, { status: "unpaid", is_paused: true }, ["access.revoked"]],
    ["the end of such a pause", { status: "unpaid", is_paused: true }, { is_paused: false }, ["access.granted"]],
    [
      "a payment that fails after such a pause",
      { status: "unpaid", is_paused: true },
      { status: "unpaid", is_paused: false },
      ["member.unpaid"],
    ],
    [
      "the mark of a pause that an earlier version did not store",
      { status: "unpaid" },
      { status: "unpaid", is_paused: true },
      [],
    ],
    ["a write that changes nothing of this", {}, { version: 2 }, []],
  ]),
)("$name sends $events", ({ row: [, before, after, expected] }) => {
  expect(types(before, after)).toEqual(expected);
});

const imported = (fingerprint: string, version = 1) => ({ fingerprint, version });

it.each(
  titled([
    ["of a new member", undefined, { imported: imported("a") }, ["member.imported", "access.granted"]],
    ["of a blocked member", undefined, { imported: imported("a"), is_blocked: true }, ["member.imported"]],
    ["of a canceled member", undefined, { imported: imported("a"), status: "canceled" }, ["member.imported"]],
    [
      "that replaces an import",
      { imported: imported("a") },
      { imported: imported("b", 2), version: 2, status: "canceled", tier_id: 12 },
      ["member.imported", "access.revoked"],
    ],
    [
      "followed by a later change",
      { imported: imported("a") },
      { imported: imported("a"), version: 2, status: "past_due" },
      ["member.past_due", "access.granted"],
    ],
    [
      "whose hash an erasure removes",
      { imported: imported("a"), status: "canceled", erased_at: later },
      { imported: imported(""), version: 2, status: "canceled", erased_at: later },
      [],
    ],
  ]),
)("an import $name sends $events", ({ row: [, before, after, expected] }) => {
  expect(types(before, after)).toEqual(expected);
});

it("an event contains the whole member after the change, and the former values of the changed fields", () => {
  expect(memberChanges(member(), member({ is_blocked: true }))).toMatchObject([
    {
      data: {
        member: {
          id: 5,
          user_id: 3,
          status: "active",
          tier_id: 11,
          access: { granted: false, reason: "blocked", until: null },
          is_blocked: true,
          current_period_end: "2026-12-01T00:00:00.000Z",
          cancel_at_period_end: false,
          cancel_at: null,
          canceled_at: null,
          ended_at: null,
          lifetime_spend_cents: 2500,
          total_refunded_cents: 0,
        },
      },
      previous: { is_blocked: false, access: { granted: true, reason: "active", until: null } },
    },
    { type: "access.revoked" },
  ]);
});

const anyState = fc.record({
  status: fc.constantFrom<MemberStatus>("active", "trialing", "past_due", "unpaid", "canceled", "incomplete"),
  is_blocked: fc.boolean(),
  tier_id: fc.constantFrom(11, 12),
  current_period_end: fc.constantFrom("2026-12-01T00:00:00.000Z", later),
  cancel_at_period_end: fc.boolean(),
  cancel_at: fc.constantFrom(null, later),
  canceled_at: fc.constantFrom(null, later),
  ended_at: fc.constantFrom(null, later),
  interval: fc.constantFrom(null, "month" as const, "year" as const),
  price_cents: fc.constantFrom(null, 2500),
  scheduled_change: fc.constantFrom(null, toReserva, { ...toReserva, interval: "year" as const, price_cents: 12_000 }),
  lifetime_spend_cents: fc.integer({ min: 0, max: 3 }),
  total_refunded_cents: fc.integer({ min: 0, max: 3 }),
  requires_shipping_address: fc.boolean(),
});

describe("the changed fields", () => {
  const updated = (before: Partial<MemberState>, after: Partial<MemberState>) =>
    memberChanges(member(before), member(after)).find(({ type }) => type === "member.updated");

  it("member.updated names the changed fields, and shipping_address, whose values no event contains", () => {
    expect(updated({}, { shipping_address: address, price_cents: 900 })).toMatchObject({
      changed: ["price_cents", "has_shipping_address", "shipping_address"],
      previous: { price_cents: 2500, has_shipping_address: false },
      data: { member: { has_shipping_address: true } },
    });
    const elsewhere = { shipping_address: { ...address, line1: "B" } };
    expect(updated({ shipping_address: address }, elsewhere)).toMatchObject({
      changed: ["shipping_address"],
      previous: {},
    });
    expect(updated({}, { requires_shipping_address: true })).toMatchObject({ changed: ["requires_shipping_address"] });
  });

  it("an erased person has no address in member.erased, although the erasure removes it later", () => {
    const before = { status: "canceled", shipping_address: address } as const;
    const [erased] = memberChanges(member(before), member({ ...before, erased_at: later }));
    expect(erased).toMatchObject({ type: "member.erased", data: { member: { has_shipping_address: false } } });
    expect(erased).not.toHaveProperty("changed");
  });

  it("joined_at is when access was first granted, and the time of joining of an imported member", () => {
    const joinedAt = (over: Partial<MemberState>) => {
      const [first] = memberChanges(undefined, member(over));
      return first && "member" in first.data ? first.data.member.joined_at : undefined;
    };
    expect(joinedAt({})).toBe("2026-08-03T09:31:00.000Z");
    expect(joinedAt({ status: "incomplete", first_granted_at: null })).toBeNull();
    expect(joinedAt({ first_granted_at: null, imported: imported("a") })).toBe("2026-08-03T09:30:00.000Z");
  });
});

describe("over any history", () => {
  it("every change of data.member is contained in an event", () => {
    fc.assert(
      fc.property(fc.array(anyState, { minLength: 1 }), (history) => {
        let known: unknown;
        for (const [n, state] of history.entries()) {
          const before = history[n - 1];
          const changes = memberChanges(before && member(before), member(state));
          known = changes.at(-1)?.data ?? known;
        }
        const {
          access: _,
          has_shipping_address: __,
          joined_at: ___,
          ...shown
        } = (known as { member: Record<string, unknown> }).member;
        expect(shown).toEqual({ id: 5, user_id: 3, ...history.at(-1) });
      }),
    );
  });

  it("access.granted and access.revoked alone determine who has access", () => {
    const granting: readonly MemberStatus[] = ["active", "trialing", "past_due"];
    fc.assert(
      fc.property(fc.array(anyState, { minLength: 1 }), (history) => {
        let isOpen = false;
        for (const [n, state] of history.entries()) {
          const before = history[n - 1];
          const sent = memberChanges(before && member(before), member(state)).map(({ type }) => type);
          if (sent.includes("access.granted")) isOpen = true;
          if (sent.includes("access.revoked")) isOpen = false;
          expect(isOpen).toBe(granting.includes(state.status) && !state.is_blocked);
          if (sent.includes("access.revoked")) expect(sent).not.toContain("access.granted");
        }
      }),
    );
  });
});
