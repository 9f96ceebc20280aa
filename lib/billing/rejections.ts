import type Stripe from "stripe";
import type { Operation } from "../domain/operation.ts";
import { Conflict } from "../store/failure.ts";
import type { Link } from "../store/members/sync.ts";
import { completeAll, type Ledger } from "../store/operations.ts";
import { write } from "../store/write.ts";
import { collectedBeside, resumeCollection } from "./collection.ts";
import type { BillingContext } from "./context.ts";
import { type Choice, rejectionPrefix } from "./ownership.ts";
import { allocatedTo, isGivenBack, isHeld, isLost, subscriptionIdOf } from "./payments.ts";
import { performAll } from "./perform-all.ts";
import { releasingSchedule } from "./schedules.ts";
import { type ChargeWithRefunds, chargesOfPayment, fetchInvoices, idOf, isPaid, type Snapshot } from "./snapshot.ts";
import { type Billing, refusalOf, undefinedIfMissing } from "./stripe.ts";

export type Rejection = Operation & { readonly intent: Extract<Operation["intent"], { kind: "reject" }> };

/** An operation of the system itself. */
const automatic = <I extends Operation["intent"]>(
  { community_id, member_id, customer_id }: Link,
  { id, intent, now }: { readonly id: string; readonly intent: I; readonly now: Date },
) => ({
  id,
  community_id,
  member_id,
  customer_id,
  actor_id: null,
  request_id: null,
  fingerprint: null,
  intent,
  state: "open" as const,
  created_at: now.toISOString(),
});

/** What a synchronization has read. */
type Known = { readonly link: Link; readonly ledger: Ledger; readonly snapshot: Snapshot; readonly now: Date };

/**
 * The operations that a synchronization begins: it rejects subscriptions, and ends free ones that the shown one replaces, once
 * that is paid. A bank debit can fail days later.
 */
export function automaticOperations(
  { link, ledger, snapshot, now }: Known,
  { rejected, replaced, shown }: Pick<Choice, "rejected" | "replaced" | "shown">,
): Operation[] {
  const isPaidFor = snapshot.invoices.some(
    (invoice) => invoice.status === "paid" && subscriptionIdOf(invoice) === shown?.id,
  );
  const replacements = isPaidFor ? replaced.map((free) => replacementOf(link, free, snapshot, now)) : [];
  return [
    ...rejected.map((subscription) => rejectionOf(link, subscription, snapshot, now)),
    ...replacements.filter(({ id }) => !ledger.operations.some((operation) => operation.id === id)),
  ];
}

/**
 * The cancellation of a free subscription that a paid one has replaced. Without a refund: it may have been paid for before it
 * became free.
 */
function replacementOf(link: Link, { id }: Stripe.Subscription, { invoices }: Snapshot, now: Date): Operation {
  const collected_invoice_ids = collectedBeside(invoices, id);
  const how = { mode: "immediately", feedback: null, comment: null, collected_invoice_ids } as const;
  const intent = { kind: "cancel", subscription_id: id, ...how } as const;
  return automatic(link, { id: `${replacementPrefix}${id}`, intent, now });
}

const replacementPrefix = "replace-";

/** Whether a synchronization has begun an operation, and performs it. */
export const isAutomatic = (operation: Operation): boolean =>
  isRejection(operation) || operation.id.startsWith(replacementPrefix);

export const isRejection = (operation: Operation): operation is Rejection => operation.intent.kind === "reject";

/** Builds the operation that cancels and refunds a rejected subscription. */
function rejectionOf(link: Link, { id }: Stripe.Subscription, { invoices }: Snapshot, now: Date): Rejection {
  const collected_invoice_ids = collectedBeside(invoices, id);
  const intent = { kind: "reject", subscription_id: id, collected_invoice_ids } as const;
  return automatic(link, { id: `reject-${id}`, intent, now });
}

/**
 * Cancels a rejected subscription and refunds all its payments. These are the only automatic refunds. Idempotent: each
 * refund has its own idempotency key. The operation stays open until each invoice is refunded, void or uncollectible,
 * because a payment can settle days later.
 */
export async function reject(context: BillingContext, operation: Rejection): Promise<void> {
  const { billing, table, now } = context;
  const { subscription_id: subscription } = operation.intent;
  await cancel(billing, subscription);
  await resumeCollection(context, operation);

  const invoices = await fetchInvoices(billing, { subscription });
  let isSettled = true;
  await performAll(invoices, async (invoice) => {
    const isUnpaid = invoice.status === "open" || invoice.status === "draft";
    const isDone = isUnpaid ? await voidInvoice(billing, invoice) : await refundInvoice(billing, operation, invoice);
    isSettled &&= isDone;
    if (isDone) await undefinedIfMissing(returnCredit(billing, operation, invoice));
  });
  if (!isSettled) return;
  await write(table, completeAll([operation], now)).catch((error: unknown) => {
    // Another run of the same rejection has completed it.
    if (!(error instanceof Conflict)) throw error;
  });
}

async function cancel(billing: Billing, subscription: string): Promise<void> {
  const comment = `${rejectionPrefix}a live subscription, a block or an archived tier stood in the way`;
  const params = { invoice_now: false, prorate: false, cancellation_details: { comment } };
  // If the subscription has already ended, Stripe refuses to cancel it with the same error as for an unknown
  // subscription.
  await undefinedIfMissing(
    releasingSchedule(billing, subscription, () =>
      billing((stripe, options) => stripe.subscriptions.cancel(subscription, params, options)),
    ),
  );
}

/**
 * Voids an open invoice. Finalizes a draft first, because Stripe does not delete drafts of a subscription.
 *
 * @returns false if Stripe refuses, as it does while a payment is processing
 */
async function voidInvoice(billing: Billing, { id, status }: Stripe.Invoice): Promise<boolean> {
  try {
    if (status === "draft")
      await billing((stripe, options) => stripe.invoices.finalizeInvoice(id, { auto_advance: false }, options));
    await billing((stripe, options) => stripe.invoices.voidInvoice(id, {}, options));
    return true;
  } catch (error) {
    if (!refusalOf(error)) throw error;
    return false;
  }
}

/**
 * Refunds all charges of an invoice.
 *
 * @returns whether nothing remains to be refunded, now or later
 */
async function refundInvoice(billing: Billing, operation: Operation, invoice: Stripe.Invoice): Promise<boolean> {
  let isSettled = true;
  await performAll(invoice.payments?.data ?? [], async (payment) => {
    for (const charge of await chargesOfPayment(billing, payment)) {
      const isDone = await refundCharge(billing, operation, { invoice, charge });
      isSettled &&= isDone;
    }
  });
  return isSettled;
}

/**
 * Gives back what an invoice has changed in the balance of its customer, as Stripe does when an invoice is voided. The metadata
 * tell whether it was given back, because Stripe removes idempotency keys after a day.
 */
async function returnCredit(billing: Billing, { id: operation_id }: Operation, invoice: Stripe.Invoice): Promise<void> {
  const { id, currency, starting_balance, ending_balance } = invoice;
  const customer = idOf(invoice.customer);
  const amount = starting_balance - (ending_balance ?? starting_balance);
  if (invoice.status !== "paid" || amount === 0 || customer === undefined) return;
  const entries = await billing((stripe, options) =>
    stripe.customers.listBalanceTransactions(customer, { limit: 100 }, options).autoPagingToArray({ limit: 1000 }),
  );
  if (entries.some(({ metadata }) => metadata?.returns === id)) return;
  const metadata = { operation_id, returns: id };
  const description = "Returned: the subscription was canceled and refunded";
  await billing(
    (stripe, options) =>
      stripe.customers.createBalanceTransaction(customer, { amount, currency, description, metadata }, options),
    `credit-${id}`,
  );
}

/**
 * Refunds what a charge has paid of an invoice. It can also have paid other invoices.
 *
 * @returns whether it is refunded or will never be refundable
 */
async function refundCharge(
  billing: Billing,
  { id: operation_id }: Operation,
  { invoice, charge: paid }: { readonly invoice: Stripe.Invoice; readonly charge: ChargeWithRefunds },
): Promise<boolean> {
  const { charge, refunds, disputes } = paid;
  if (charge.status === "pending") return false;
  const left = charge.amount_captured - charge.amount_refunded;
  if (!isPaid(charge) || left <= 0) return true;
  if (disputes.some(isGivenBack)) return true;
  // Stripe refuses a refund during a dispute, and repeats the refusal for the same key for a day.
  if (isHeld(paid) || disputes.some(isLost)) return false;
  const allocated = allocatedTo(invoice, paid);
  const invoice_id = invoice.id;
  if (refunds.some(({ metadata }) => metadata?.operation_id === operation_id && metadata.invoice_id === invoice_id))
    return true;
  const isWhole = allocated >= charge.amount_captured;
  const params: Stripe.RefundCreateParams = isWhole
    ? { metadata: { operation_id } }
    : { metadata: { operation_id, invoice_id }, amount: Math.min(allocated, left) };
  await billing(
    (stripe, options) => stripe.refunds.create({ charge: charge.id, ...params }, options),
    isWhole ? `reject-${charge.id}` : `reject-${charge.id}-${invoice_id}`,
  ).catch((error: unknown) => {
    if (refusalOf(error)?.code !== "charge_already_refunded") throw error;
  });
  return true;
}
