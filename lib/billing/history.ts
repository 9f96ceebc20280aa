import type Stripe from "stripe";
import type { Charge, Invoice } from "../domain/payment.ts";
import { isoOf } from "./snapshot.ts";
import { type Billing, isUnknownCustomer } from "./stripe.ts";

type Page = { readonly per: number; readonly after: string | undefined };
type Invoices = { readonly invoices: Invoice[]; readonly hasMore: boolean };

/** A page of a customer's invoices, newest first, each with the charges that tried to pay it; none where Stripe no longer knows the customer. */
export async function invoicesOf(billing: Billing, customer: string, page: Page): Promise<Invoices> {
  return fetchInvoices(billing, customer, page).catch((error: unknown) => {
    if (!isUnknownCustomer(error, customer)) throw error;
    return { invoices: [], hasMore: false };
  });
}

async function fetchInvoices(billing: Billing, customer: string, { per, after }: Page): Promise<Invoices> {
  const [page, recent] = await Promise.all([
    billing((stripe, options) =>
      stripe.invoices.list(
        { customer, limit: per, expand: ["data.payments"], ...(after !== undefined && { starting_after: after }) },
        options,
      ),
    ),
    billing((stripe, options) => stripe.charges.list({ customer, limit: 100 }, options)),
  ]);
  const charges = recent.has_more
    ? [...recent.data, ...(await olderCharges(billing, customer, page, recent))]
    : recent.data;
  return { invoices: page.data.map((invoice) => toInvoice(invoice, charges)), hasMore: page.has_more };
}

/** Charges beyond the newest hundred, as far back as the page's invoices go. */
async function olderCharges(
  billing: Billing,
  customer: string,
  page: Stripe.ApiList<Stripe.Invoice>,
  recent: Stripe.ApiList<Stripe.Charge>,
): Promise<Stripe.Charge[]> {
  const oldestInvoice = page.data.at(-1);
  const oldestCharge = recent.data.at(-1);
  if (!oldestInvoice || !oldestCharge || oldestInvoice.created > oldestCharge.created) return [];
  return billing((stripe, options) =>
    stripe.charges
      .list({ customer, limit: 100, starting_after: oldestCharge.id, created: { gte: oldestInvoice.created } }, options)
      .autoPagingToArray({ limit: 10_000 }),
  );
}

function toInvoice(invoice: Stripe.Invoice, charges: readonly Stripe.Charge[]): Invoice {
  const intents = new Set((invoice.payments?.data ?? []).map(({ payment }) => idOf(payment.payment_intent)));
  const paidAt = invoice.status_transitions.paid_at;
  return {
    id: invoice.id,
    number: invoice.number,
    status: invoice.status,
    currency: invoice.currency,
    total_cents: invoice.total,
    amount_paid_cents: invoice.amount_paid,
    amount_due_cents: invoice.amount_due,
    period_start: isoOf(invoice.period_start),
    period_end: isoOf(invoice.period_end),
    created_at: isoOf(invoice.created),
    paid_at: paidAt === null ? null : isoOf(paidAt),
    hosted_invoice_url: invoice.hosted_invoice_url ?? null,
    invoice_pdf: invoice.invoice_pdf ?? null,
    charges: charges
      .filter(({ payment_intent }) => payment_intent && intents.has(idOf(payment_intent)))
      .map(presentCharge),
  };
}

const presentCharge = (charge: Stripe.Charge): Charge => ({
  id: charge.id,
  status: charge.status,
  amount_cents: charge.amount,
  amount_refunded_cents: charge.amount_refunded,
  refundable_cents: charge.status === "succeeded" ? charge.amount_captured - charge.amount_refunded : 0,
  disputed: charge.disputed,
  failure_message: charge.failure_message,
  payment_method: charge.payment_method_details && {
    type: charge.payment_method_details.type,
    brand: charge.payment_method_details.card?.brand ?? null,
    last4: charge.payment_method_details.card?.last4 ?? null,
  },
  receipt_url: charge.receipt_url,
  created_at: isoOf(charge.created),
});

const idOf = (reference: string | { id: string } | null | undefined): string | undefined =>
  typeof reference === "object" ? reference?.id : reference;
