import type Stripe from "stripe";
import type { Intent, Operation } from "../domain/operation.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { BillingContext } from "./context.ts";
import { subscriptionIdOf } from "./payments.ts";
import type { Snapshot } from "./snapshot.ts";
import { refusalOf, undefinedIfMissing } from "./stripe.ts";

/** Maximum number of invoices whose collection is resumed. */
const limit = 50;

const hour = 60 * 60_000;

/** Canceling a subscription stops the automatic collection of all open invoices of its customer. Returns those of other sources. */
export const collectedBeside = (invoices: readonly Stripe.Invoice[], subscriptionId: string): string[] =>
  invoices
    .filter(
      (invoice) => invoice.status === "open" && invoice.auto_advance && subscriptionIdOf(invoice) !== subscriptionId,
    )
    .map(({ id }) => id)
    .slice(0, limit);

/**
 * Whether the invoice of the present period is not paid, and Stripe does not collect it. A pause of payment collection leaves
 * such invoices (https://docs.stripe.com/billing/subscriptions/pause-payment). False while a change waits for its payment,
 * because the latest invoice is then that of the change. Requires an expanded latest invoice.
 */
export function isUncollected({ latest_invoice: invoice, pending_update, items }: Stripe.Subscription): boolean {
  const [item] = items.data;
  if (pending_update || !item || invoice === null || typeof invoice === "string") return false;
  const { status, auto_advance, created } = invoice;
  if (created < item.current_period_start) return false;
  return status === "uncollectible" || ((status === "draft" || status === "open") && auto_advance === false);
}

type CancelIntent = Extract<Intent, { kind: "cancel" }>;
export type Cancellation = Pick<CancelIntent, "mode" | "feedback" | "comment">;

/** The intent to cancel a subscription, with the customer's other invoices whose collection Stripe stops if it ends now. */
export async function intentOf(
  { billing }: BillingContext,
  { stripe_customer_id: customer }: StoredMember,
  subscription_id: string,
  cancellation: Cancellation,
): Promise<CancelIntent> {
  const open =
    cancellation.mode === "immediately" && customer !== null
      ? await undefinedIfMissing(
          billing((stripe, options) => stripe.invoices.list({ customer, status: "open", limit: 100 }, options)),
        )
      : undefined;
  const collected_invoice_ids = collectedBeside(open?.data ?? [], subscription_id);
  return { kind: "cancel", subscription_id, ...cancellation, collected_invoice_ids };
}

const collectedBy = ({ intent }: Operation): readonly string[] =>
  "collected_invoice_ids" in intent ? intent.collected_invoice_ids : [];

/** Stripe removes idempotency keys after a day. */
const isTooLate = ({ created_at }: Operation, now: Date): boolean => now.getTime() - Date.parse(created_at) > 12 * hour;

/**
 * Resumes the automatic collection of the invoices that an operation has stopped by canceling a subscription. Resumes each
 * invoice once, and nothing after 12 hours.
 */
export async function resumeCollection({ billing, now }: BillingContext, operation: Operation): Promise<void> {
  if (isTooLate(operation, now)) return;
  for (const invoice of collectedBy(operation))
    await billing(
      (stripe, options) => stripe.invoices.update(invoice, { auto_advance: true }, options),
      `collect-${operation.id}-${invoice}`,
    ).catch((error: unknown) => {
      // The invoice was paid or voided in the meantime.
      if (!refusalOf(error)) throw error;
    });
}

/** Whether the collection of invoices that an operation has stopped is not resumed yet. */
export const awaitsCollection = (operation: Operation, { invoices, isDeleted }: Snapshot, now: Date): boolean =>
  !isDeleted &&
  !isTooLate(operation, now) &&
  invoices.some(
    ({ id, status, auto_advance }) => status === "open" && !auto_advance && collectedBy(operation).includes(id),
  );
