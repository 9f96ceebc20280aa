import { disputeObject } from "stripe-stand-in/core/objects/dispute";
import { expect, it } from "vitest";
import { disputedByDay, disputesAfter } from "#lib/billing/disputes.ts";
import { paymentWrites } from "#lib/billing/facts.ts";
import type { Billing } from "#lib/billing/stripe.ts";
import { blockersOf } from "#lib/person/blockers.ts";
import type { StoredDispute } from "#lib/store/facts.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import { handler as exportOwn } from "../../../functions/me/data.ts";
import { types } from "../../support/member-states.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

/** A member whose charge goes through these statuses of a dispute, each of which Stripe's events report. */
async function disputed(...statuses: readonly string[]) {
  const member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  for (const status of statuses) {
    await money.control("disputes", { charge: charge?.id, status });
    await money.deliverAll();
  }
  return member;
}

it("an appeal of a lost dispute changes the status of the stored dispute", async () => {
  const member = await disputed("needs_response", "lost", "appeal_under_review");
  expect((await ledgerOf(money.table, member.id)).disputes).toMatchObject([{ status: "appeal_under_review" }]);
});

it("the export of a person's data has the disputes of their payments", async () => {
  const member = await disputed("needs_response", "lost");
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  const { body } = await money.call(exportOwn, { as: member.user });
  const dispute = { charge_id: charge?.id, amount_cents: charge?.amount, status: "lost" };
  expect(body).toMatchObject({ memberships: [{ disputes: [dispute] }] });
});

it("a dispute under appeal prevents the erasure of the person, and a lost one does not", async () => {
  const billing = money.platform().billing?.(() => 20_000) as Billing;
  const codesOf = async (userId: number) =>
    (await blockersOf({ table: money.table, billing }, userId)).blockers.map(({ code }) => code);
  const lost = await disputed("lost");
  expect(await codesOf(lost.user.id)).not.toContain("open_dispute");
  const appealed = await disputed("lost", "appeal_needs_response");
  expect(await codesOf(appealed.user.id)).toContain("open_dispute");
});

it.each([
  [
    ["needs_response", "lost"],
    ["dispute.opened", "dispute.closed"],
  ],
  [
    ["needs_response", "lost", "appeal_under_review"],
    ["dispute.opened", "dispute.closed", "dispute.updated"],
  ],
  [
    ["needs_response", "lost", "appeal_needs_response", "appeal_under_review", "lost"],
    ["dispute.opened", "dispute.closed", "dispute.updated", "dispute.updated", "dispute.updated"],
  ],
  [
    ["lost", "appeal_under_review", "won"],
    ["dispute.opened", "dispute.closed", "dispute.updated", "dispute.closed"],
  ],
  [
    ["lost", "won"],
    ["dispute.opened", "dispute.closed", "dispute.closed"],
  ],
  [
    ["appeal_under_review", "lost"],
    ["dispute.opened", "dispute.closed"],
  ],
  [
    ["warning_closed", "needs_response", "lost"],
    ["dispute.opened", "dispute.closed", "dispute.updated", "dispute.closed"],
  ],
])("a dispute whose successive statuses are %j sends the events %j", async (statuses, expected) => {
  const [charge] = await money.chargesOf((await disputed()).stripe_customer_id);
  if (!charge) throw new Error("The member has no charge");
  let stored: readonly StoredDispute[] = [];
  const sent: string[] = [];
  for (const status of statuses) {
    const dispute = disputeObject({ id: "du_1", created: charge.created, charge, status });
    const ledger = { payments: [], refunds: [], disputes: stored, subscriptions: [], operations: [] };
    const [fact] = paymentWrites(
      7,
      [],
      disputesAfter([{ charge, refunds: [], disputes: [dispute] }], stored, new Date()),
      {
        ledger,
        since: undefined,
        isChange: () => false,
        tierOf: () => null,
      },
    );
    if (!fact || !("put" in fact.write || "update" in fact.write)) throw new Error("The dispute is not stored");
    const written = "put" in fact.write ? fact.write.put : fact.write.set;
    stored = [{ ...stored[0], ...written } as StoredDispute];
    sent.push(...types({}, { changed_facts: { at: dispute.id + status, changes: [...(fact.changes ?? [])] } }));
  }
  expect(sent).toEqual(expected);
});

it.each([
  ["usd", { "2026-11-03": 2500 }],
  ["eur", {}],
  ["jpy", {}],
])("a lost dispute in %s counts as %j, because all sums are in US dollars", (currency, lost) => {
  const created = Date.parse("2026-11-03T23:59:59Z") / 1000;
  const charge = { id: "ch_1", amount: 2500 };
  const after = (status: string, stored: readonly StoredDispute[]) => {
    const dispute = { ...disputeObject({ id: "du_1", created, charge: charge as never, status }), currency };
    const charges = [{ charge, refunds: [], disputes: [dispute] }] as never;
    return disputesAfter(charges, stored, new Date("2026-11-03T23:59:59Z"));
  };
  expect(disputedByDay(after("lost", []))).toEqual(lost);
  expect(disputedByDay(after("lost", after("lost", [])))).toEqual(lost);
  // Earlier versions have stored disputes without their losses.
  const opened = after("needs_response", []).map((dispute) => {
    const { lost_cents_by_day: _, ...earlier } = dispute;
    return earlier;
  });
  expect(disputedByDay(after("lost", opened))).toEqual(lost);
  expect(disputedByDay(after("won", after("lost", opened)))).toEqual({});
});

const dayOf = (at: string) => at.slice(0, 10);

it("a lost dispute counts on the day of its loss, a reversed loss on the day of its reversal, and gross stays", async () => {
  const member = await disputed("needs_response");
  const created = (await money.memberNow(member)) ?? member;
  const gross = created.paid_cents_by_day;
  const [stored] = (await ledgerOf(money.table, member.id)).disputes;
  const charge = (await money.chargesOf(member.stripe_customer_id))[0];
  if (!stored || !charge) throw new Error("The member has no dispute");
  const after = (status: string, before: StoredDispute[], at: string) => {
    const dispute = disputeObject({ id: stored.dispute_id, created: charge.created, charge, status });
    return disputesAfter([{ charge, refunds: [], disputes: [dispute] }], before, new Date(at));
  };
  const lost = after("lost", [stored], "2027-01-05T10:00:00.000Z");
  expect(disputedByDay(lost)).toEqual({ "2027-01-05": stored.amount_cents });
  const again = after("lost", lost, "2027-01-06T10:00:00.000Z");
  expect(again).toEqual(lost);
  const won = after("won", lost, "2027-02-01T10:00:00.000Z");
  expect(disputedByDay(won)).toEqual({ "2027-01-05": stored.amount_cents, "2027-02-01": -stored.amount_cents });
  expect(disputedByDay(disputesAfter([], won, new Date()))).toEqual(disputedByDay(won));
  await money.control("disputes", { charge: charge.id, status: "lost" });
  await money.deliverAll();
  const today = dayOf(money.table.runtime.now().toISOString());
  expect(await money.memberNow(member)).toMatchObject({
    disputed_cents_by_day: { [today]: stored.amount_cents },
    paid_cents_by_day: gross,
  });
});

it("a dispute that Odis or an earlier version has only seen as lost counts on the day on which it was opened", async () => {
  const member = await disputed("lost");
  const [stored] = (await ledgerOf(money.table, member.id)).disputes;
  if (!stored) throw new Error("The member has no dispute");
  const losses = { [dayOf(stored.created_at)]: stored.amount_cents };
  expect(stored.lost_cents_by_day).toEqual(losses);
  const { lost_cents_by_day: _, ...earlier } = stored;
  expect(disputedByDay([earlier])).toEqual(losses);
});
