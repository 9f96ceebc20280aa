import type Stripe from "stripe";
import type { Account } from "./account.ts";
import { idOf } from "./objects/common.ts";
import type { CreditedItems, LineFields } from "./objects/invoice.ts";
import { lineOf } from "./objects/invoice-item.ts";
import type { Period } from "./objects/subscription.ts";

export const productName = (account: Account, { price }: Pick<Stripe.SubscriptionItem, "price">): string =>
  account.get("product", price.product)?.name ?? "";

/** The properties of a line that come from the item of the subscription. */
export const billedItem = (item: Stripe.SubscriptionItem) => ({
  subscription: item.subscription,
  subscriptionItem: item.id,
  price: item.price.id,
  product: idOf(item.price.product) ?? "",
  currency: item.price.currency,
  quantity: item.quantity ?? 1,
});

export const priceOf = ({ price, quantity }: Stripe.SubscriptionItem): number =>
  (price.unit_amount ?? 0) * (quantity ?? 1);

/** The line of a full period. Trials have lines of 0. */
export function periodLine(
  account: Account,
  item: Stripe.SubscriptionItem,
  period: Period,
  amount: number,
): LineFields {
  const name = productName(account, item);
  const description = amount === 0 ? `Trial period for ${name}` : `${item.quantity ?? 1} × ${name}`;
  return { ...billedItem(item), description, amount, period };
}

/** The prorations of a subscription that are on no invoice yet, newest first. */
export const pendingItems = (account: Account, subscription: string): Stripe.InvoiceItem[] =>
  [...account.rows("invoiceitem")]
    .filter(({ invoice, parent }) => invoice === null && parent?.subscription_details?.subscription === subscription)
    .toReversed();

type Sweep = { readonly id: string; readonly item: Stripe.InvoiceItem };

/**
 * The lines of an invoice for prorations.
 *
 * @param sweeps the prorations with the ids of their lines
 */
export const sweptLines = (account: Account, invoice: string, sweeps: readonly Sweep[]): LineFields[] =>
  sweeps.map(({ item }) => lineOf(item, invoiced(account, invoice, sweeps, item.proration_details?.credited_items)));

/** Replaces the reference to a pending debit by one to its line, which is on this invoice or an earlier one. */
function invoiced(
  account: Account,
  invoice: string,
  sweeps: readonly Sweep[],
  credited: CreditedItems | null | undefined,
): CreditedItems | null {
  if (!credited?.invoice_item) return credited ?? null;
  const here = sweeps.find(({ item }) => item.id === credited.invoice_item);
  if (here) return lineReference(invoice, here.id);
  const debit = account.get("invoiceitem", credited.invoice_item);
  const earlier = account.get("invoice", debit?.invoice);
  const line = earlier?.lines.data.find(
    ({ parent }) => parent?.subscription_item_details?.invoice_item === credited.invoice_item,
  );
  return earlier && line ? lineReference(earlier.id, line.id) : null;
}

export const lineReference = (invoice: string, line: string): CreditedItems => ({
  invoice_line_item_details: { invoice, invoice_line_items: [line] },
  type: "invoice_line_items",
});
