import { disputeObject } from "stripe-stand-in/core/objects/dispute";
import { expect, it } from "vitest";
import { paymentWrites } from "#lib/billing/facts.ts";
import type { Billing } from "#lib/billing/stripe.ts";
import { blockersOf } from "#lib/person/blockers.ts";
import type { StoredDispute } from "#lib/store/facts.ts";
import { ledgerOf } from "#lib/store/operations.ts";
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
    const [fact] = paymentWrites(7, [], [{ charge, refunds: [], disputes: [dispute] }], {
      ledger,
      since: undefined,
      isChange: () => false,
      tierOf: () => null,
    });
    if (!fact || !("put" in fact.write || "update" in fact.write)) throw new Error("The dispute is not stored");
    const written = "put" in fact.write ? fact.write.put : fact.write.set;
    stored = [{ ...stored[0], ...written } as StoredDispute];
    sent.push(...types({}, { changed_facts: { at: dispute.id + status, changes: [...(fact.changes ?? [])] } }));
  }
  expect(sent).toEqual(expected);
});
