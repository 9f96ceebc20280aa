import type Stripe from "stripe";
import type { Operation } from "../domain/operation.ts";
import type { BillingContext } from "./context.ts";
import { subscriptionIdOf } from "./payments.ts";
import type { Snapshot } from "./snapshot.ts";
import { type Billing, refusalOf, undefinedIfMissing } from "./stripe.ts";

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

/** Reads the invoices of {@link collectedBeside}. None for a customer whom Stripe does not know. */
export async function fetchCollectedBeside(
  billing: Billing,
  customer: string,
  subscriptionId: string,
): Promise<string[]> {
  const open = await undefinedIfMissing(
    billing((stripe, options) => stripe.invoices.list({ customer, status: "open", limit: 100 }, options)),
  );
  return collectedBeside(open?.data ?? [], subscriptionId);
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
