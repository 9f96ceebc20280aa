import type Stripe from "stripe";
import { idOf } from "#lib/billing/snapshot.ts";
import type { Version } from "../world/billing-record.ts";
import { invoicesOf, isRejected, look, subscriptionsOf } from "../world/dashboard.ts";
import type { World } from "../world/world.ts";
import { segmentsOf } from "./price-segments.ts";

/**
 * The invoices of a subscription add up to the days it had at each price, within a cent per proration. Amounts are net of
 * discounts, as Stripe prorates net amounts, and exclude the balance of the customer.
 */
export function assertInvoices(world: World): void {
  for (const subscription of subscriptionsOf(world)) {
    // Odis voids the open invoices of a subscription that it rejects, and refunds the others in full.
    if (isRejected(subscription)) continue;
    const { id } = subscription;
    const versions = world.billing.versionsOf(id);
    const segments = segmentsOf(world, versions);
    const owed = segments.reduce((sum, { cents, start, end, period }) => sum + (cents * (end - start)) / period, 0);
    const { billed, prorations } = billedFor(world, versions);
    if (prorations > 0) count(world);
    if (Math.abs(billed - owed) > prorations + rounding)
      world.violate("invoices", `${id} was billed ${billed} for days that cost ${owed.toFixed(2)}`);
  }
}

/** What sums of fractions may differ by, in cents. */
const rounding = 0.01;

function count({ figures: { checks } }: World): void {
  const name = "subscriptionsWithProrations";
  checks.set(name, (checks.get(name) ?? 0) + 1);
}

/** What a subscription was billed, in cents, and the number of prorations in it. */
function billedFor(world: World, versions: readonly Version[]): { billed: number; prorations: number } {
  const last = versions.at(-1)?.subscription;
  const held = last?.pending_update ? idOf(last.latest_invoice) : undefined;
  // Drafts count too. Only those of a paused collection are left, and Stripe credits their unused time.
  const lines = invoicesOf(world, last?.id)
    .filter(({ id, status }) => status !== "void" && id !== held)
    .flatMap((invoice) => invoice.lines.data);
  // Prorations wait for the next invoice. Those that wait when a subscription is canceled are removed.
  const waiting = versions
    .flatMap((version) => version.prorations)
    .filter(({ id }) => !look(world, (account) => account.get("invoiceitem", id))?.invoice);
  const amounts = [...lines.map(netOf), ...waiting.map(({ amount }) => amount)];
  return {
    billed: amounts.reduce((sum, amount) => sum + amount, 0),
    prorations: waiting.length + lines.filter(isProration).length,
  };
}

const netOf = ({ amount, discount_amounts: discounts }: Stripe.InvoiceLineItem): number =>
  (discounts ?? []).reduce((left, discount) => left - discount.amount, amount);

const isProration = ({ parent }: Stripe.InvoiceLineItem): boolean =>
  parent?.subscription_item_details?.proration === true;
