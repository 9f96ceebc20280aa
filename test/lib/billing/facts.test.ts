import { describe, expect, it } from "vitest";
import { paymentWrites } from "#lib/billing/facts.ts";
import type { Payment } from "#lib/store/facts.ts";

type Charge = Payment["charges"][number];

const at = "2026-01-05T09:03:29.000Z";

const charge = (over: Partial<Charge> = {}): Charge => ({
  id: "ch_1",
  status: "succeeded",
  amount_cents: 900,
  amount_refunded_cents: 0,
  refundable_cents: 900,
  disputed: false,
  failure_message: null,
  payment_method: null,
  receipt_url: null,
  created_at: at,
  paid_cents: 900,
  ...over,
});
const failed = charge({ id: "ch_0", status: "failed", paid_cents: 0, refundable_cents: 0 });

const invoice = (status: Payment["status"], charges: readonly Charge[], paid_off_stripe_cents = 0): Payment => ({
  id: "in_1",
  customer_id: "cus_1",
  subscription_id: "sub_1",
  number: "1",
  status,
  currency: "usd",
  total_cents: 900,
  amount_paid_cents: status === "paid" ? 900 : 0,
  amount_due_cents: 900,
  paid_off_stripe_cents,
  period_start: at,
  period_end: at,
  created_at: at,
  paid_at: status === "paid" ? at : null,
  hosted_invoice_url: null,
  invoice_pdf: null,
  charges: [...charges],
});

/** What events say of an invoice that was stored, if at all, and is read again. */
function told(known: Payment | undefined, now: Payment) {
  const ledger = {
    payments: known ? [{ ...known, revision: 1 }] : [],
    refunds: [],
    disputes: [],
    subscriptions: [],
    operations: [],
  };
  const facts = paymentWrites(7, [now], [], { ledger, since: undefined });
  return facts
    .flatMap(({ changes = [] }) => changes)
    .map(
      (change) => change.kind === "payment" && [change.payment.id, change.payment.status, change.payment.amount_cents],
    );
}

describe("events of payments", () => {
  it.each([
    ["that is open", undefined, invoice("open", []), []],
    ["that was paid at once", undefined, invoice("paid", [charge()]), [["ch_1", "succeeded", 900]]],
    ["that is paid later", invoice("open", []), invoice("paid", [charge()]), [["ch_1", "succeeded", 900]]],
    ["that is paid, whose charge is not listed yet", undefined, invoice("paid", []), []],
    [
      "whose charge was not listed before",
      invoice("paid", []),
      invoice("paid", [charge()]),
      [["ch_1", "succeeded", 900]],
    ],
    ["that was paid before", invoice("paid", [charge()]), invoice("paid", [charge({ disputed: true })]), []],
    ["that was paid off Stripe", invoice("open", []), invoice("paid", [], 900), [["in_1", "succeeded", 900]]],
    ["whose payment failed", invoice("open", []), invoice("open", [failed]), [["ch_0", "failed", 900]]],
    [
      "whose payment had failed",
      invoice("open", [failed]),
      invoice("paid", [failed, charge()]),
      [["ch_1", "succeeded", 900]],
    ],
  ])("of an invoice %s", (_, known, now, expected) => {
    expect(told(known, now)).toEqual(expected);
  });
});
