import type Stripe from "stripe";
import type { Payment } from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { Link } from "../store/members/sync.ts";
import type { Ledger } from "../store/operations.ts";
import {
  type ChargeWithRefunds,
  chargesOfPayment,
  chargesWithRefunds,
  fetchInvoices,
  type Snapshot,
} from "./snapshot.ts";
import { type Billing, refusalOf } from "./stripe.ts";

/**
 * What can still be read of a customer whom Stripe no longer knows: the subscription that the member followed, which has
 * ended with the customer, with its invoices and their charges, and the charges that we know of. Undefined where Stripe
 * does not know the subscription either, as with the key of another account, or where there is none and no charge.
 */
export async function snapshotOfDeleted(
  billing: Billing,
  { customer_id }: Pick<Link, "customer_id">,
  member: StoredMember | undefined,
  { payments }: Ledger,
): Promise<Snapshot | undefined> {
  const theirs = payments.filter((payment) => payment.customer_id === customer_id);
  const id = member?.stripe_subscription_id;
  if (!id) {
    const charges = await chargesById(billing, chargesIn(theirs));
    if (charges.length === 0) return undefined;
    return { customer: undefined, isDeleted: true, subscriptions: [], charges, invoices: [] };
  }
  const subscription = await unlessMissing(
    billing((stripe, options) => stripe.subscriptions.retrieve(id, {}, options)),
  );
  if (!subscription) return undefined;
  const invoices = await fetchInvoices(billing, { subscription: id });
  const listed = await chargesOfInvoices(billing, invoices);
  const rest = chargesIn(theirs).filter((known) => !listed.some(({ charge }) => charge.id === known));
  const charges = [...listed, ...(await chargesById(billing, rest))];
  return { customer: undefined, isDeleted: true, subscriptions: [subscription], charges, invoices };
}

const chargesIn = (payments: readonly Payment[]): string[] =>
  payments.flatMap(({ charges }) => charges.map(({ id }) => id));

async function chargesOfInvoices(billing: Billing, invoices: readonly Stripe.Invoice[]): Promise<ChargeWithRefunds[]> {
  const payments = invoices.flatMap((invoice) => invoice.payments?.data ?? []);
  return (await Promise.all(payments.map((payment) => chargesOfPayment(billing, payment)))).flat();
}

/** Charges as they are now, without those that Stripe does not know. */
export async function chargesById(billing: Billing, ids: readonly string[]): Promise<ChargeWithRefunds[]> {
  const read = (id: string) =>
    unlessMissing(billing((stripe, options) => stripe.charges.retrieve(id, { expand: ["refunds"] }, options)));
  const found = await Promise.all(ids.map(read));
  return chargesWithRefunds(
    billing,
    found.flatMap((charge) => charge ?? []),
  );
}

const unlessMissing = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (refusalOf(error)?.code !== "resource_missing") throw error;
    return undefined;
  });
