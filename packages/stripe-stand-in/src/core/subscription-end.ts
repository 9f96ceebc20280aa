import type Stripe from "stripe";
import type { Account } from "./account.ts";
import * as balance from "./balance.ts";
import * as events from "./events.ts";
import { idOf } from "./objects/common.ts";
import { discard } from "./pending-updates.ts";
import { cancelWith } from "./schedules.ts";

export const isOver = ({ status }: Stripe.Subscription): boolean =>
  status === "canceled" || status === "incomplete_expired";

type Details = {
  /** Time of the request to cancel. Default: the time at which the cancellation was scheduled. */
  readonly canceledAt?: number;
  readonly comment?: string | null;
  readonly feedback?: Stripe.Subscription.CancellationDetails.Feedback | null;
};

/** Ends a subscription now. Nothing is refunded, and no open invoice of the customer is collected automatically. */
export function end(
  account: Account,
  subscription: Stripe.Subscription,
  reason: "cancellation_requested" | "payment_failed",
  { canceledAt, comment, feedback }: Details = {},
): Stripe.Subscription {
  const now = account.now();
  if (account.faults.ended_pending_invoice === "open") account.remove("pending_change", subscription.id);
  discard(account, subscription.id, { isExpired: true });
  const before = subscription.cancellation_details;
  const ended: Stripe.Subscription = {
    ...subscription,
    pending_update: null,
    status: "canceled",
    canceled_at: canceledAt ?? subscription.canceled_at ?? now,
    ended_at: now,
    cancellation_details: {
      comment: comment ?? before?.comment ?? null,
      feedback: feedback ?? before?.feedback ?? null,
      feedback_option: null,
      reason,
    },
  };
  account.put("subscription", ended);
  events.emit(account, "customer.subscription.deleted", ended);
  cancelWith(account, ended);
  stopCollection(account, idOf(subscription.customer));
  return ended;
}

/** Stops the automatic collection of a customer's open invoices. */
export function stopCollection(account: Account, customer: string | null): void {
  for (const invoice of account.rows("invoice")) {
    if (invoice.status !== "open" || invoice.customer !== customer) continue;
    const left: Stripe.Invoice = { ...invoice, auto_advance: false, next_payment_attempt: null };
    events.replace(account, "invoice", left, "invoice.updated");
  }
}

/** Ends a subscription whose first payment was not made in time, and voids its invoice. */
export function expire(account: Account, subscription: Stripe.Subscription): void {
  const now = account.now();
  const expired: Stripe.Subscription = { ...subscription, status: "incomplete_expired", ended_at: now };
  events.replace(account, "subscription", expired, "customer.subscription.updated");
  for (const invoice of openInvoices(account, subscription.id)) {
    const status_transitions = { ...invoice.status_transitions, voided_at: now };
    const voided: Stripe.Invoice = { ...invoice, status: "void", auto_advance: false, status_transitions };
    account.put("invoice", voided);
    events.emit(account, "invoice.voided", voided);
    balance.unapply(account, voided);
  }
}

const openInvoices = (account: Account, subscription: string) =>
  [...account.rows("invoice")].filter(({ status, parent }) => {
    return status === "open" && parent?.subscription_details?.subscription === subscription;
  });
