import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type Account, createAccount } from "../src/core/account.ts";
import * as catalog from "../src/core/catalog.ts";
import { advance } from "../src/core/clock.ts";
import * as customers from "../src/core/customers.ts";
import * as disputes from "../src/core/disputes.ts";
import { ApiFailure } from "../src/core/failure.ts";
import { noFaults } from "../src/core/faults.ts";
import * as refunds from "../src/core/refunds.ts";
import { emptyState } from "../src/core/state.ts";
import * as changes from "../src/core/subscription-changes.ts";
import * as subscriptions from "../src/core/subscriptions.ts";
import { start } from "./local.ts";

const statuses = ["pending", "requires_action", "succeeded", "failed", "canceled"] as const;
const step = fc.oneof(
  fc.record({
    do: fc.constant("refund" as const),
    nth: fc.nat(5),
    amount: fc.constantFrom(1, 20, 1_000, 2_480, 2_500),
  }),
  fc.record({ do: fc.constant("settle" as const), nth: fc.nat(5), status: fc.constantFrom(...statuses) }),
  fc.record({ do: fc.constant("dispute" as const), nth: fc.nat(5), status: fc.constantFrom("needs_response", "won") }),
  fc.record({ do: fc.constant("advance" as const), days: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant("decline" as const), times: fc.nat(3) }),
  fc.record({ do: fc.constant("expect" as const), status: fc.constantFrom(...statuses) }),
  fc.record({ do: fc.constant("cancel" as const), now: fc.boolean() }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function aSubscriber(account: Account): string {
  return account.transact(() => {
    const { id: price } = catalog.createPrice(account, {
      currency: "usd",
      unit_amount: 2_500,
      recurring: { interval: "month", interval_count: 1 },
      product_data: { name: "Gold plan" },
    });
    const card = "pm_card_visa";
    const customer = customers.create(account, {
      payment_method: card,
      invoice_settings: { default_payment_method: card },
    });
    return subscriptions.create(account, { customer: customer.id, items: [{ price }] }).id;
  });
}

/** Performs one action. Refusals are expected, and must leave no partial changes. */
function take(account: Account, subscription: string, action: Step): void {
  const nth = <T>(rows: Iterable<T>, n: number): T | undefined =>
    Array.from(rows).at(n % Math.max(1, Array.from(rows).length));
  const run = (work: () => unknown) => {
    try {
      account.transact(work);
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure;
    }
  };
  switch (action.do) {
    case "refund":
      return run(() =>
        refunds.create(account, { charge: nth(account.rows("charge"), action.nth)?.id, amount: action.amount }),
      );
    case "settle":
      return run(() => refunds.settle(account, nth(account.rows("refund"), action.nth)?.id ?? "", action.status));
    case "dispute":
      return run(() => disputes.dispute(account, nth(account.rows("charge"), action.nth)?.id ?? "", action.status));
    case "advance":
      return advance(account, action.days * 86_400);
    case "decline":
      account.faults.decline = action.times;
      return undefined;
    case "expect":
      account.faults.refund_status = action.status;
      return undefined;
    case "cancel":
      return run(() =>
        action.now
          ? changes.cancel(account, subscription, {})
          : changes.update(account, subscription, { cancel_at_period_end: true }),
      );
  }
}

it("charges, refunds, invoices and periods agree after any sequence of actions", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) => {
      const account = createAccount({
        id: "acct_fake",
        state: emptyState(),
        faults: noFaults(),
        baseUrl: "http://127.0.0.1",
        now: () => start,
        random: Math.random,
      });
      const subscription = aSubscriber(account);
      for (const action of steps) take(account, subscription, action);

      for (const charge of account.rows("charge")) {
        const returned = [...account.rows("refund")]
          .filter((refund) => refund.charge === charge.id && refund.status !== "failed" && refund.status !== "canceled")
          .reduce((sum, { amount }) => sum + amount, 0);
        expect(charge.amount_refunded).toBe(returned);
        expect(returned).toBeLessThanOrEqual(charge.amount_captured);
        expect(charge.refunded).toBe(charge.status === "succeeded" && returned === charge.amount_captured);
      }
      for (const invoice of account.rows("invoice")) {
        const [payment] = [...account.rows("invoice_payment")].filter((row) => row.invoice === invoice.id);
        const paid = [...account.rows("charge")].filter(({ payment_intent: intent, status }) => {
          return intent === payment?.payment.payment_intent && status === "succeeded";
        });
        expect(paid.reduce((sum, { amount }) => sum + amount, 0)).toBe(invoice.amount_paid);
        expect(invoice.amount_paid + invoice.amount_remaining).toBe(invoice.amount_due);
        expect(invoice.status === "paid").toBe(invoice.amount_remaining === 0);
      }
      const current = account.get("subscription", subscription);
      const end = current?.items.data[0]?.current_period_end ?? 0;
      expect(current?.status === "canceled" || end > account.now()).toBe(true);
    }),
    { numRuns: 200 },
  );
});
