import { expect, it } from "vitest";
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

/** The payment events of an invoice that is read from Stripe, with the stored state before. */
function paymentEvents(stored: Payment | undefined, now: Payment, isChange = false) {
  const ledger = {
    payments: stored ? [{ ...stored, revision: 1 }] : [],
    refunds: [],
    disputes: [],
    subscriptions: [],
    operations: [],
  };
  const facts = paymentWrites(7, [now], [], { ledger, since: undefined, isChange: () => isChange, tierOf: () => 11 });
  return facts
    .flatMap(({ changes = [] }) => changes)
    .flatMap((change) => (change.kind === "payment" ? [change.payment] : []));
}

/** The id, status and amount of each payment event. */
const summarized = (...of: Parameters<typeof paymentEvents>) =>
  paymentEvents(...of).map(({ id, status, amount_cents }) => [id, status, amount_cents]);

it.each([
  ["an open invoice", undefined, invoice("open", []), []],
  ["an invoice that is paid immediately", undefined, invoice("paid", [charge()]), [["ch_1", "succeeded", 900]]],
  ["an invoice that is paid later", invoice("open", []), invoice("paid", [charge()]), [["ch_1", "succeeded", 900]]],
  ["a paid invoice whose charge is not listed yet", undefined, invoice("paid", []), []],
  [
    "a paid invoice whose charge is listed now",
    invoice("paid", []),
    invoice("paid", [charge()]),
    [["ch_1", "succeeded", 900]],
  ],
  ["an invoice that was already paid", invoice("paid", [charge()]), invoice("paid", [charge({ disputed: true })]), []],
  [
    "an invoice that is paid outside Stripe",
    invoice("open", []),
    invoice("paid", [], 900),
    [["in_1", "succeeded", 900]],
  ],
  ["an invoice with a failed payment", invoice("open", []), invoice("open", [failed]), [["ch_0", "failed", 900]]],
  [
    "an invoice that is paid after a failed payment",
    invoice("open", [failed]),
    invoice("paid", [failed, charge()]),
    [["ch_1", "succeeded", 900]],
  ],
])("%s has the expected payment events", (_, stored, now, expected) => {
  expect(summarized(stored, now)).toEqual(expected);
});

it("the failed charge of a change has no event, and its payment has one", () => {
  expect(summarized(undefined, invoice("open", [failed]), true)).toEqual([]);
  expect(summarized(invoice("open", [failed]), invoice("paid", [failed, charge()]), true)).toEqual([
    ["ch_1", "succeeded", 900],
  ]);
});

it("a payment event has the currency, the period of the invoice and its tier", () => {
  const [payment] = paymentEvents(undefined, {
    ...invoice("paid", [charge()]),
    period_end: "2026-02-05T09:03:29.000Z",
  });
  expect(payment).toMatchObject({
    currency: "usd",
    tier_id: 11,
    period_start: at,
    period_end: "2026-02-05T09:03:29.000Z",
  });
});
