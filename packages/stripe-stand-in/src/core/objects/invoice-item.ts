import type Stripe from "stripe";
import { decimal, idOf, nulls } from "./common.ts";
import { type CreditedItems, type LineFields, perUnit } from "./invoice.ts";

type NewInvoiceItem = {
  readonly id: string;
  readonly created: number;
  readonly customer: string;
  readonly line: LineFields;
};

/** A proration that waits for the next invoice. Its amount is net of discounts. */
export const invoiceItemObject = ({ id, created, customer, line }: NewInvoiceItem): Stripe.InvoiceItem => ({
  id,
  object: "invoiceitem",
  amount: line.amount,
  currency: line.currency,
  customer,
  date: created,
  description: line.description,
  discountable: false,
  discounts: [],
  invoice: null,
  livemode: false,
  metadata: {},
  net_amount: line.amount,
  parent: {
    subscription_details: { subscription: line.subscription, subscription_item: line.subscriptionItem },
    type: "subscription_details",
  },
  period: line.period,
  pricing: {
    price_details: { price: line.price, product: line.product },
    type: "price_details",
    unit_amount_decimal: decimal(perUnit(line.amount, line.quantity)),
  },
  proration: true,
  proration_details: { credited_items: line.proration?.credited ?? null, discount_amounts: [] },
  quantity: line.quantity,
  quantity_decimal: decimal(line.quantity),
  tax_rates: [],
  ...nulls("customer_account test_clock"),
});

/** The line of an invoice for a proration, which gives back other lines. */
export const lineOf = (item: Stripe.InvoiceItem, credited: CreditedItems | null): LineFields => ({
  subscription: item.parent?.subscription_details?.subscription ?? "",
  subscriptionItem: item.parent?.subscription_details?.subscription_item ?? "",
  price: idOf(item.pricing?.price_details?.price) ?? "",
  product: item.pricing?.price_details?.product ?? "",
  currency: item.currency,
  quantity: item.quantity,
  description: item.description ?? "",
  amount: item.amount,
  period: item.period,
  proration: { invoiceItem: item.id, credited },
});
