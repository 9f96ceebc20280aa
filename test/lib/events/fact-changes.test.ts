import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { type MemberState, memberChanges } from "#lib/events/member-changes.ts";
import { FactChange } from "#lib/fields/fact-change.ts";
import { member, types } from "../../support/member-states.ts";

const later = "2027-01-01T00:00:00.000Z";

type Facts = NonNullable<MemberState["changed_facts"]>["changes"];

const facts = (...changes: Facts) => ({ changed_facts: { at: later, changes } });

const payment = (status: "succeeded" | "failed") =>
  ({
    kind: "payment",
    payment: {
      id: "ch_1",
      invoice_id: "in_1",
      amount_cents: 2500,
      currency: "usd",
      status,
      tier_id: 11,
      period_start: later,
      period_end: later,
      at: later,
    },
  }) as const;

const refund = (status: "pending" | "succeeded" | "failed" | "canceled", former: "pending" | "failed" | null) =>
  ({
    kind: "refund",
    refund: {
      refund_id: "re_1",
      charge_id: "ch_1",
      amount_cents: 700,
      reason: "unspecified",
      status,
      issued_at: later,
      issued_by: null,
    },
    former_status: former,
  }) as const;

const dispute = (status: string, former_status: string | null, closed_as: string | null = null) =>
  ({
    kind: "dispute",
    dispute: { id: "du_1", charge_id: "ch_1", amount_cents: 2500, status },
    former_status,
    closed_as,
  }) as const;

describe("a payment, refund or dispute", () => {
  const cases: readonly (readonly [string, Facts, readonly string[]])[] = [
    ["a payment", [payment("succeeded")], ["payment.succeeded"]],
    ["a failed attempt", [payment("failed")], ["payment.failed"]],
    ["a refund", [refund("succeeded", null)], ["refund.created"]],
    ["a refund that arrives", [refund("succeeded", "pending")], ["refund.updated"]],
    ["a refund that fails", [refund("failed", "pending")], ["refund.failed"]],
    ["a refund that is canceled", [refund("canceled", "pending")], ["refund.failed"]],
    ["a refund that is canceled after it failed", [refund("canceled", "failed")], ["refund.updated"]],
    ["a refund that failed before it was seen", [refund("failed", null)], ["refund.created", "refund.failed"]],
    ["a dispute", [dispute("needs_response", null)], ["dispute.opened"]],
    ["a dispute under review", [dispute("under_review", "needs_response")], ["dispute.updated"]],
    ["a dispute that is won", [dispute("won", "needs_response")], ["dispute.closed"]],
    ["a dispute that is lost", [dispute("lost", "needs_response")], ["dispute.closed"]],
    ["a lost dispute that is appealed", [dispute("appeal_under_review", "lost", "lost")], ["dispute.updated"]],
    ["an appeal that is lost", [dispute("lost", "appeal_under_review", "lost")], ["dispute.updated"]],
    ["an appeal that is won", [dispute("won", "appeal_under_review", "lost")], ["dispute.closed"]],
    ["an inquiry that is closed", [dispute("warning_closed", "warning_needs_response")], ["dispute.closed"]],
    ["a dispute that was lost before it was seen", [dispute("lost", null)], ["dispute.opened", "dispute.closed"]],
  ];
  it.each(cases.map((row) => ({ row, name: row[0], events: row[2].join(", ") || "no event" })))(
    "$name sends $events",
    ({ row: [, changes, expected] }) => {
      expect(types({}, facts(...changes))).toEqual(expected);
    },
  );

  it("the events of one change are in the order payment, refund, dispute, member, access", () => {
    const after = {
      ...facts(dispute("lost", null), refund("succeeded", null), payment("failed")),
      status: "unpaid",
    } as const;
    expect(types({}, after)).toEqual([
      "payment.failed",
      "refund.created",
      "dispute.opened",
      "dispute.closed",
      "member.unpaid",
      "access.revoked",
    ]);
  });

  it("a later write that leaves a changed payment in the item does not send its event again", () => {
    const noted = facts(payment("succeeded"));
    expect(types(noted, { ...noted, is_blocked: true })).toEqual(["member.blocked", "access.revoked"]);
  });

  it("a payment that an earlier version has noted has the currency usd, and no tier or period", () => {
    const { id, invoice_id, amount_cents, status, at } = payment("succeeded").payment;
    const noted = { kind: "payment", payment: { id, invoice_id, amount_cents, status, at } };
    const [change] = memberChanges(member(), member(facts(v.parse(FactChange, noted))));
    expect(change).toMatchObject({
      type: "payment.succeeded",
      data: { payment: { ...noted.payment, currency: "usd", tier_id: null, period_start: null, period_end: null } },
    });
  });

  it("a dispute that an earlier version has noted as lost is closed", () => {
    const { closed_as: _, ...noted } = dispute("lost", "under_review");
    expect(types({}, facts(v.parse(FactChange, noted)))).toEqual(["dispute.closed"]);
  });

  it("a refund event has the member after the change, the refund and its former status", () => {
    const [change] = memberChanges(member(), member({ ...facts(refund("failed", "pending")), status: "canceled" }));
    expect(change).toMatchObject({
      type: "refund.failed",
      data: { member: { id: 5, user_id: 3, status: "canceled" }, refund: { refund_id: "re_1", status: "failed" } },
      previous: { status: "pending" },
    });
  });
});
