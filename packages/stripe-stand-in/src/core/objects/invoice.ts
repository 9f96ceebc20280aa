import type Stripe from "stripe";
import { settlement } from "../minimum-charge.ts";
import { decimal, list, nulls } from "./common.ts";
import type { Period } from "./subscription.ts";

/** What a credit gives back: debits that are still pending, or lines of an invoice. */
export type CreditedItems = NonNullable<Stripe.InvoiceItem.ProrationDetails["credited_items"]>;

export type LineFields = {
  readonly subscription: string;
  readonly subscriptionItem: string;
  readonly price: string;
  readonly product: string;
  readonly currency: string;
  readonly quantity: number;
  readonly description: string;
  /** Negative for a credit. */
  readonly amount: number;
  /** The period that the line pays for, or gives back. */
  readonly period: Period;
  /** Undefined for a full period. A proration has no further discounts. */
  readonly proration?: { readonly invoiceItem: string | null; readonly credited: CreditedItems | null };
};

type Reductions = readonly { readonly discount: string; readonly amount: number }[];

type LineObjectFields = LineFields & {
  readonly id: string;
  readonly invoice: string;
  readonly reductions: Reductions;
};

export function lineObject(given: LineObjectFields): Stripe.InvoiceLineItem {
  const { id, invoice, subscription, description, amount, currency, quantity, period, proration, reductions } = given;
  return {
    id,
    object: "line_item",
    amount,
    currency,
    description,
    discount_amounts: proration
      ? []
      : reductions.map(({ discount, amount: reduction }) => ({ amount: reduction, discount })),
    discountable: !proration,
    discounts: [],
    invoice,
    livemode: false,
    metadata: {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: proration?.invoiceItem ?? null,
        proration: proration !== undefined,
        proration_details: { credited_items: proration?.credited?.invoice_line_item_details ?? null },
        subscription,
        subscription_item: given.subscriptionItem,
      },
      type: "subscription_item_details",
    },
    period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: given.price, product: given.product },
      type: "price_details",
      unit_amount_decimal: decimal(perUnit(amount, quantity)),
    },
    quantity,
    quantity_decimal: decimal(quantity),
    subscription,
    subtotal: amount,
    taxes: [],
  };
}

/** Has at most 12 decimal places. */
export const perUnit = (amount: number, quantity: number): number => Number((amount / quantity).toFixed(12));

type InvoiceFields = {
  readonly id: string;
  readonly created: number;
  readonly customer: Stripe.Customer;
  readonly subscription: Stripe.Subscription;
  readonly reason: Stripe.Invoice.BillingReason;
  /** The previous period. The period of an invoice is the past one, and the period of its line is the next one. */
  readonly period: Period;
  readonly lines: readonly Stripe.InvoiceLineItem[];
  readonly reductions: Reductions;
};

/** A new draft. */
export function invoiceObject(given: InvoiceFields): Stripe.Invoice {
  const { id, created, customer, subscription, reason, period, lines, reductions } = given;
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0);
  const total = reductions.reduce((left, reduction) => left - reduction.amount, subtotal);
  const { due } = settlement(customer.balance, total);
  return {
    id,
    object: "invoice",
    account_country: "US",
    account_name: "Stripe stand-in",
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: due,
    amount_shipping: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { enabled: false, ...nulls("disabled_reason liability provider status") },
    billing_reason: reason,
    collection_method: "charge_automatically",
    created,
    currency: subscription.currency,
    customer: customer.id,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: customer.shipping,
    customer_tax_exempt: customer.tax_exempt ?? null,
    customer_tax_ids: [],
    default_tax_rates: [],
    discounts: reductions.map(({ discount }) => discount),
    issuer: { type: "self" },
    lines: list(`/v1/invoices/${id}/lines`, [...lines]),
    livemode: false,
    metadata: {},
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: "subscription_details",
    },
    payment_settings: nulls("default_mandate payment_method_options payment_method_types"),
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: customer.balance,
    status: "draft",
    status_transitions: nulls("finalized_at marked_uncollectible_at paid_at voided_at"),
    subtotal,
    subtotal_excluding_tax: subtotal,
    total,
    total_discount_amounts: reductions.map(({ discount, amount: reduction }) => ({ amount: reduction, discount })),
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: created,
    ...nulls("account_tax_ids application automatically_finalizes_at custom_fields customer_account"),
    ...nulls("default_payment_method default_source description due_date effective_at ending_balance footer"),
    ...nulls("from_invoice hosted_invoice_url invoice_pdf last_finalization_error latest_revision"),
    ...nulls("next_payment_attempt number on_behalf_of receipt_number rendering shipping_cost shipping_details"),
    ...nulls("statement_descriptor test_clock"),
  };
}

type NewPayment = { readonly id: string; readonly invoice: Stripe.Invoice; readonly intent: Stripe.PaymentIntent };

/** The link from an invoice to the payment intent that pays it. */
export const invoicePaymentObject = ({ id, invoice, intent }: NewPayment): Stripe.InvoicePayment => ({
  id,
  object: "invoice_payment",
  amount_paid: null,
  amount_requested: invoice.amount_due,
  created: intent.created,
  currency: invoice.currency,
  invoice: invoice.id,
  is_default: true,
  livemode: false,
  payment: { payment_intent: intent.id, type: "payment_intent" },
  status: "open",
  status_transitions: { canceled_at: null, paid_at: null },
});
