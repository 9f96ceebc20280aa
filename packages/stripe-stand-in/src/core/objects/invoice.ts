import type Stripe from "stripe";
import { decimal, idOf, list, nulls } from "./common.ts";
import type { Period } from "./subscription.ts";

type LineFields = {
  readonly id: string;
  readonly item: Stripe.SubscriptionItem;
  readonly productName: string;
  readonly amount: number;
  /** The period that the line pays for. */
  readonly period: Period;
};

const lineObject = (
  invoice: string,
  { id, item, productName, amount, period }: LineFields,
): Stripe.InvoiceLineItem => ({
  id,
  object: "line_item",
  amount,
  currency: item.price.currency,
  description: amount === 0 ? `Trial period for ${productName}` : `${item.quantity ?? 1} × ${productName}`,
  discount_amounts: [],
  discountable: true,
  discounts: [],
  invoice,
  livemode: false,
  metadata: {},
  parent: {
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: null,
      proration: false,
      proration_details: { credited_items: null },
      subscription: item.subscription,
      subscription_item: item.id,
    },
    type: "subscription_item_details",
  },
  period,
  pretax_credit_amounts: [],
  pricing: {
    price_details: { price: item.price.id, product: idOf(item.price.product) ?? "" },
    type: "price_details",
    unit_amount_decimal: decimal(amount / (item.quantity ?? 1)),
  },
  quantity: item.quantity ?? 1,
  quantity_decimal: decimal(item.quantity ?? 1),
  subscription: item.subscription,
  subtotal: amount,
  taxes: [],
});

type InvoiceFields = {
  readonly id: string;
  readonly created: number;
  readonly customer: Stripe.Customer;
  readonly subscription: Stripe.Subscription;
  readonly reason: Stripe.Invoice.BillingReason;
  /** The previous period. The period of an invoice is the past one, and the period of its line is the next one. */
  readonly period: Period;
  readonly line: LineFields;
  readonly reductions: readonly { readonly discount: string; readonly amount: number }[];
};

/** A new draft. */
export function invoiceObject(given: InvoiceFields): Stripe.Invoice {
  const { id, created, customer, subscription, reason, period, line, reductions } = given;
  const { amount: subtotal } = line;
  const amount = reductions.reduce((left, reduction) => left - reduction.amount, subtotal);
  return {
    id,
    object: "invoice",
    account_country: "US",
    account_name: "Stripe stand-in",
    amount_due: amount,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: amount,
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
    lines: list(`/v1/invoices/${id}/lines`, [lineObject(id, line)]),
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
    starting_balance: 0,
    status: "draft",
    status_transitions: nulls("finalized_at marked_uncollectible_at paid_at voided_at"),
    subtotal,
    subtotal_excluding_tax: subtotal,
    total: amount,
    total_discount_amounts: reductions.map(({ discount, amount: reduction }) => ({ amount: reduction, discount })),
    total_excluding_tax: amount,
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
