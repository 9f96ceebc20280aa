import type Stripe from "stripe";
import { decimal, idOf, list } from "./common.ts";
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
  /** The period before: an invoice's own period is the past one, its line's is the next one. */
  readonly period: Period;
  readonly line: LineFields;
};

/** A new draft. */
export function invoiceObject(given: InvoiceFields): Stripe.Invoice {
  const { id, created, customer, subscription, reason, period, line } = given;
  const { amount } = line;
  return {
    id,
    object: "invoice",
    account_country: "US",
    account_name: "Stripe stand-in",
    account_tax_ids: null,
    amount_due: amount,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_paid_off_stripe: 0,
    amount_remaining: amount,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: reason,
    collection_method: "charge_automatically",
    created,
    currency: subscription.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: customer.shipping,
    customer_tax_exempt: customer.tax_exempt ?? null,
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: "self" },
    last_finalization_error: null,
    latest_revision: null,
    lines: list(`/v1/invoices/${id}/lines`, [lineObject(id, line)]),
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: "subscription_details",
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: "draft",
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: amount,
    subtotal_excluding_tax: amount,
    test_clock: null,
    total: amount,
    total_discount_amounts: [],
    total_excluding_tax: amount,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: created,
  };
}

type InvoicePaymentFields = {
  readonly id: string;
  readonly invoice: Stripe.Invoice;
  readonly intent: Stripe.PaymentIntent;
};

/** The link from an invoice to the payment intent that pays it. */
export const invoicePaymentObject = ({ id, invoice, intent }: InvoicePaymentFields): Stripe.InvoicePayment => ({
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
