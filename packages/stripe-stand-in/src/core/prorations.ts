import type Stripe from "stripe";
import type { Account } from "./account.ts";
import { reductionsOf } from "./discounts.ts";
import { billedItem, lineReference, priceOf, productName } from "./invoice-lines.ts";
import * as invoices from "./invoices.ts";
import { idOf } from "./objects/common.ts";
import type { CreditedItems, LineFields } from "./objects/invoice.ts";
import type { Period } from "./objects/subscription.ts";

/** An amount that was billed for a period, on an invoice or in a pending proration. */
type Debit = {
  /** The ids of its line and its invoice item. */
  readonly ids: readonly string[];
  /** The amount after discounts. */
  readonly amount: number;
  readonly period: Period;
  readonly billed: Pick<LineFields, "price" | "product" | "currency" | "quantity">;
  readonly reference: CreditedItems;
};

/**
 * The credits for the unused time of a subscription item, one for each amount that was billed for it, whatever its
 * price is now. Amounts that are already credited are not credited again.
 *
 * @see https://docs.stripe.com/billing/subscriptions/prorations#credit-prorations (flexible billing mode)
 */
export function credits(account: Account, item: Stripe.SubscriptionItem, date: number): LineFields[] {
  const lines = entriesOf(account, item);
  const creditEntries = lines.filter(({ amount }) => amount < 0);
  return debitsOf(account, item).flatMap(({ ids, amount, period, billed, reference }) => {
    const start = Math.max(date, period.start);
    const end = creditEntries
      .filter(({ credited }) => credited.some((id) => ids.includes(id)))
      .reduce((earliest, credit) => Math.min(earliest, credit.period.start), period.end);
    if (start >= end) return [];
    const name = account.get("product", billed.product)?.name ?? "";
    return {
      ...billedItem(item),
      ...billed,
      description: `Unused time on ${count(billed.quantity)}${name} after ${day(date)}`,
      amount: 0 - share(amount, { start, end }, period),
      period: { start, end },
      proration: { invoiceItem: null, credited: reference },
    };
  });
}

type Debiting = {
  /** The subscription with the new price. */
  readonly subscription: Stripe.Subscription;
  readonly item: Stripe.SubscriptionItem;
  readonly date: number;
};

/** The amount for the rest of the period of an item, net of the discounts of its subscription. 0 during a trial. */
export function debit(account: Account, { subscription, item, date }: Debiting): LineFields {
  const period = { start: item.current_period_start, end: item.current_period_end };
  const rest = { start: date, end: period.end };
  const isTrial = subscription.status === "trialing";
  const price = priceOf(item);
  const net = reductionsOf(account, subscription, price).reduce((left, { amount }) => left - amount, price);
  const name = `${count(item.quantity ?? 1)}${productName(account, item)}`;
  return {
    ...billedItem(item),
    description: isTrial ? `Free trial for ${name}` : `Remaining time on ${name} after ${day(date)}`,
    amount: isTrial ? 0 : share(net, rest, period),
    period: rest,
    proration: { invoiceItem: null, credited: null },
  };
}

/** The part of an amount for a part of its period, by the second. */
const share = (amount: number, part: Period, whole: Period): number =>
  Math.round((amount * (part.end - part.start)) / (whole.end - whole.start));

const count = (quantity: number) => (quantity === 1 ? "" : `${quantity} × `);

/** `15 May 2026` */
const day = (moment: number): string => new Date(moment * 1000).toUTCString().slice(5, 16);

const debitsOf = (account: Account, item: Stripe.SubscriptionItem): Debit[] =>
  entriesOf(account, item).filter(({ amount }) => amount > 0);

type Entry = Debit & {
  /** The ids of the lines or invoice items that it gives back. */
  readonly credited: readonly string[];
};

/** Everything that was billed and given back for an item, on invoices that are not void and in pending prorations. */
function entriesOf(account: Account, { id, subscription }: Stripe.SubscriptionItem): Entry[] {
  const entries: Entry[] = [];
  for (const invoice of account.rows("invoice")) {
    if (invoices.subscriptionOf(invoice) !== subscription || invoice.status === "void") continue;
    for (const line of invoice.lines.data) {
      const details = line.parent?.subscription_item_details;
      if (details?.subscription_item !== id) continue;
      const reduction = (line.discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
      entries.push({
        ids: [line.id, ...(details.invoice_item === null ? [] : [details.invoice_item])],
        amount: line.amount - reduction,
        period: line.period,
        billed: billedBy(line),
        reference: lineReference(invoice.id, line.id),
        credited: details.proration_details?.credited_items?.invoice_line_items ?? [],
      });
    }
  }
  for (const pending of account.rows("invoiceitem")) {
    if (pending.invoice !== null || pending.parent?.subscription_details?.subscription_item !== id) continue;
    const credited = pending.proration_details?.credited_items;
    entries.push({
      ids: [pending.id],
      amount: pending.amount,
      period: pending.period,
      billed: billedBy(pending),
      reference: { type: "invoice_item", invoice_item: pending.id },
      credited: [
        ...(credited?.invoice_item ? [credited.invoice_item] : []),
        ...(credited?.invoice_line_item_details?.invoice_line_items ?? []),
      ],
    });
  }
  return entries;
}

const billedBy = ({ pricing, currency, quantity }: Stripe.InvoiceLineItem | Stripe.InvoiceItem): Debit["billed"] => ({
  price: idOf(pricing?.price_details?.price) ?? "",
  product: pricing?.price_details?.product ?? "",
  currency,
  quantity: quantity ?? 1,
});
