import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as collection from "./collection.ts";
import { afterInvoice } from "./discounts.ts";
import * as events from "./events.ts";
import { authenticationRequired, cardDeclined, invalid } from "./failure.ts";
import * as invoiceChanges from "./invoice-changes.ts";
import { pendingItems } from "./invoice-lines.ts";
import * as invoices from "./invoices.ts";
import { idOf } from "./objects/common.ts";
import type { LineFields } from "./objects/invoice.ts";
import { invoiceItemObject } from "./objects/invoice-item.ts";
import { hold, release } from "./pending-updates.ts";
import type { PriceChange } from "./price-change.ts";
import { assertInvoiceAllowed } from "./rate-limits.ts";

/** What happens to a change that has to be paid now, if it is not paid. */
export const PaymentBehavior = v.picklist([
  "allow_incomplete",
  "default_incomplete",
  "error_if_incomplete",
  "pending_if_incomplete",
]);

type Payment = {
  /** A change by a schedule is applied like a renewal, also without a card. */
  readonly behavior: v.InferOutput<typeof PaymentBehavior> | "scheduled";
  /** What a pending update stores besides the items. */
  readonly metadata: Stripe.Metadata | null;
  readonly cancelsAtPeriodEnd: boolean | null;
};

/** Applies a change of a subscription, and bills it now or with the next invoice. */
export function bill(account: Account, change: PriceChange, payment: Payment): Stripe.Subscription {
  const { target, prorations, cycle, isBilledNow } = change;
  if (isBilledNow && payment.behavior !== "scheduled") assertInvoiceAllowed(account, target);
  const swept = isBilledNow ? pendingItems(account, target.id).map(({ id }) => id) : [];
  for (const line of prorations) addPending(account, target, line);
  if (!isBilledNow) return apply(account, target);
  const invoice = issue(account, change);
  const left = cycle === null ? target : afterInvoice(account, target);
  const billed: Stripe.Subscription = { ...left, latest_invoice: invoice.id };
  if (invoice.status !== "open") return apply(account, billed);
  switch (payment.behavior) {
    case "default_incomplete":
      return apply(account, { ...billed, status: "past_due" });
    case "allow_incomplete":
    case "scheduled":
      if (payment.behavior === "allow_incomplete") assertPayable(account, target);
      apply(account, billed);
      collection.pursue(account, invoice);
      return account.get("subscription", target.id) ?? billed;
    case "error_if_incomplete":
    case "pending_if_incomplete":
      return applyIfPaid(account, { billed, invoice, swept, payment });
  }
}

type Unpaid = {
  readonly billed: Stripe.Subscription;
  readonly invoice: Stripe.Invoice;
  /** Prorations of earlier changes that are on the invoice. */
  readonly swept: readonly string[];
  readonly payment: Payment;
};

/** Applies a change only once its invoice is paid. */
function applyIfPaid(account: Account, { billed, invoice, swept, payment }: Unpaid): Stripe.Subscription {
  const isPending = payment.behavior === "pending_if_incomplete";
  if (!isPending || account.faults.pending_without_card === "refused") assertPayable(account, billed);
  const card = collection.cardFor(account, billed);
  const attempt = card === null ? undefined : invoices.collect(account, invoice, { card, isManual: false });
  if (attempt?.isPaid || attempt?.isPending)
    return apply(account, billed.status === "past_due" ? { ...billed, status: "active" } : billed);
  if (isPending) {
    const subscription = account.get("subscription", billed.id) ?? billed;
    const isReset = billed.billing_cycle_anchor !== subscription.billing_cycle_anchor;
    return hold(account, subscription, {
      invoice: invoice.id,
      items: billed.items.data,
      anchor: isReset ? billed.billing_cycle_anchor : null,
      discounts: billed.discounts.map((discount) => idOf(discount) ?? ""),
      metadata: payment.metadata,
      cancelsAtPeriodEnd: payment.cancelsAtPeriodEnd,
      swept,
    });
  }
  invoiceChanges.voidInvoice(account, invoice.id);
  release(account, swept);
  const isKept = account.faults.refused_change === "voided_invoice";
  throw attempt?.charge ? cardDeclined(attempt.charge, { isKept }) : authenticationRequired("subscription", { isKept });
}

/** The invoice of a change, with its prorations. */
function issue(account: Account, { target, cycle, past }: PriceChange): Stripe.Invoice {
  const lines = cycle === null ? [] : [cycle];
  return invoices.issue(account, { subscription: target, reason: "subscription_update", lines, past });
}

/** Stores a changed subscription, which is renewed at the end of its period. */
function apply(account: Account, target: Stripe.Subscription): Stripe.Subscription {
  const before = account.get("subscription", target.id)?.items.data[0]?.current_period_end;
  const end = target.items.data[0]?.current_period_end;
  events.replace(account, "subscription", target, "customer.subscription.updated");
  if (end !== undefined && end !== before) schedule(account, end, { do: "renew", subscription: target.id });
  return target;
}

function addPending(account: Account, { customer }: Stripe.Subscription, line: LineFields): void {
  const item = invoiceItemObject({
    id: account.newId("ii"),
    created: account.now(),
    customer: idOf(customer) ?? "",
    line,
  });
  events.create(account, "invoiceitem", item, "invoiceitem.created");
}

/** @throws ApiFailure 400 if there is no card to pay with */
function assertPayable(account: Account, subscription: Stripe.Subscription): void {
  if (collection.cardFor(account, subscription) === null)
    throw invalid(collection.noCard, { code: "resource_missing" });
}
