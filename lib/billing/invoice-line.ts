import type Stripe from "stripe";
import type { Tier } from "../domain/tier.ts";
import { productOf } from "./catalog.ts";
import { idOf, isoOf, type Snapshot } from "./snapshot.ts";

/** The line that an invoice is paid for: that of a full period, or the charge for the rest of a period after a change. */
const paidLine = ({ lines }: Pick<Stripe.Invoice, "lines">): Stripe.InvoiceLineItem | undefined =>
  lines.data.find(({ parent }) => parent?.subscription_item_details?.proration === false) ??
  lines.data.find(({ amount }) => amount > 0);

/**
 * The billing period that an invoice pays for. This is not the invoice's own period, during which its items were added.
 */
export function periodOf(invoice: Pick<Stripe.Invoice, "lines" | "period_start" | "period_end">) {
  const { start, end } = paidLine(invoice)?.period ?? { start: invoice.period_start, end: invoice.period_end };
  return { period_start: isoOf(start), period_end: isoOf(end) };
}

/**
 * Returns a function that looks up the tier that an invoice was paid for. Null for a price of none of the tiers, and for
 * an unknown invoice.
 */
export const tierOfInvoice =
  (
    { invoices, formerInvoices = [], subscriptions }: Pick<Snapshot, "invoices" | "formerInvoices" | "subscriptions">,
    tiers: readonly Pick<Tier, "id" | "stripe_price_id" | "yearly_stripe_price_id">[],
  ) =>
  (id: string): number | null => {
    const invoice = [...invoices, ...formerInvoices].find((candidate) => candidate.id === id);
    const { price, product } = (invoice && paidLine(invoice)?.pricing?.price_details) ?? {};
    const priceId = idOf(price);
    if (priceId === undefined) return null;
    // A line names its price only by its id. Former prices of a tier are prices of its product.
    const items = subscriptions.flatMap((subscription) => subscription.items.data);
    const named = items.find((item) => item.price.id === priceId)?.price.metadata.tier_id;
    const tier = tiers.find(
      (candidate) =>
        String(candidate.id) === named ||
        candidate.stripe_price_id === priceId ||
        candidate.yearly_stripe_price_id === priceId ||
        productOf(candidate.id) === product,
    );
    return tier?.id ?? null;
  };
