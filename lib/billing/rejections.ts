import type Stripe from "stripe";
import type { Operation } from "../domain/operation.ts";
import type { Link } from "../store/members/sync.ts";
import { completeOperation } from "../store/operations.ts";
import { write } from "../store/write.ts";
import type { BillingContext } from "./context.ts";
import { rejection } from "./ownership.ts";
import { subscriptionOf } from "./payments.ts";
import { beyondSchedule } from "./schedules.ts";
import { type ChargeWithRefunds, chargesOfPayment, isPaid, type Snapshot } from "./snapshot.ts";
import { type Billing, refusalOf } from "./stripe.ts";

export type Rejection = Operation & { readonly intent: Extract<Operation["intent"], { kind: "reject" }> };

export const isRejection = (operation: Operation): operation is Rejection => operation.intent.kind === "reject";

/** The operation that cancels a subscription which must not be. */
export function rejectionOf(
  { community_id, member_id, customer_id }: Link,
  { id }: Stripe.Subscription,
  { invoices }: Snapshot,
  now: Date,
): Rejection {
  const collected = invoices.filter(
    (invoice) => invoice.status === "open" && invoice.auto_advance && subscriptionOf(invoice) !== id,
  );
  return {
    id: `reject-${id}`,
    community_id,
    member_id,
    customer_id,
    actor_id: null,
    request_id: null,
    fingerprint: null,
    intent: {
      kind: "reject",
      subscription_id: id,
      collected_invoice_ids: collected.map((invoice) => invoice.id).slice(0, 50),
    },
    state: "open",
    created_at: now.toISOString(),
  };
}

/**
 * Ends a subscription that must not be and gives back all that was paid for it: the only automatic refunds there are.
 * Each step can be repeated: what is canceled stays so, and each refund has a key of its own. The operation stays open
 * until each invoice is refunded, void or uncollectible, as a payment may settle days later.
 */
export async function reject(context: BillingContext, operation: Rejection): Promise<void> {
  const { billing, table, now } = context;
  const { subscription_id: subscription } = operation.intent;
  await cancel(billing, subscription);
  await resumeCollection(context, operation);

  const invoices = await billing((stripe, options) =>
    stripe.invoices
      .list({ subscription, limit: 100, expand: ["data.payments"] }, options)
      .autoPagingToArray({ limit: 1000 }),
  );
  let isOver = true;
  for (const invoice of invoices) {
    const isUnpaid = invoice.status === "open" || invoice.status === "draft";
    const isSettled = isUnpaid ? await voided(billing, invoice) : await refunded(billing, operation, invoice);
    isOver &&= isSettled;
  }
  if (isOver) await write(table, completeOperation(operation, now));
}

async function cancel(billing: Billing, subscription: string): Promise<void> {
  const comment = `${rejection}a live subscription, a block or an archived tier stood in the way`;
  const how = { invoice_now: false, prorate: false, cancellation_details: { comment } };
  await beyondSchedule(billing, subscription, () =>
    billing((stripe, options) => stripe.subscriptions.cancel(subscription, how, options)),
  ).catch((error: unknown) => {
    // Stripe says of a subscription that has ended that there is no such subscription.
    if (refusalOf(error)?.code !== "resource_missing") throw error;
  });
}

const hour = 60 * 60_000;

/**
 * Stripe stops the collection of all open invoices of the customer when a subscription is canceled: it is switched on
 * again, once for each. Stripe knows the keys for a day, after which others may have switched it off.
 */
async function resumeCollection(
  { billing, now }: BillingContext,
  { id, intent, created_at }: Rejection,
): Promise<void> {
  if (now.getTime() - Date.parse(created_at) > 12 * hour) return;
  for (const invoice of intent.collected_invoice_ids)
    await billing(
      (stripe, options) => stripe.invoices.update(invoice, { auto_advance: true }, options),
      `collect-${id}-${invoice}`,
    ).catch((error: unknown) => {
      // It was paid or voided meanwhile.
      if (!refusalOf(error)) throw error;
    });
}

/**
 * A draft is finalized first, as Stripe deletes no draft of a subscription.
 *
 * @returns whether Stripe has voided an open invoice: it does not while a payment is processing
 */
async function voided(billing: Billing, { id, status }: Stripe.Invoice): Promise<boolean> {
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

/** @returns whether nothing that was paid for an invoice is left, or can be refunded later */
async function refunded(billing: Billing, operation: Operation, { payments }: Stripe.Invoice): Promise<boolean> {
  let isOver = true;
  for (const payment of payments?.data ?? [])
    for (const charge of await chargesOfPayment(billing, payment)) {
      const isGiven = await giveBack(billing, operation, charge);
      isOver &&= isGiven;
    }
  return isOver;
}

async function giveBack(
  billing: Billing,
  { id: operation_id }: Operation,
  { charge, disputes }: ChargeWithRefunds,
): Promise<boolean> {
  if (charge.status === "pending") return false;
  if (!isPaid(charge) || charge.amount_refunded >= charge.amount_captured) return true;
  if (disputes.some(({ status }) => status === "lost")) return true;
  // Stripe refuses a refund while the bank holds the money, and gives the same answer to the same key for a day.
  if (disputes.some(({ is_charge_refundable }) => !is_charge_refundable)) return false;
  await billing(
    (stripe, options) => stripe.refunds.create({ charge: charge.id, metadata: { operation_id } }, options),
    `reject-${charge.id}`,
  ).catch((error: unknown) => {
    if (refusalOf(error)?.code !== "charge_already_refunded") throw error;
  });
  return true;
}
