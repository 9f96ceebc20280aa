import type Stripe from "stripe";
import type { Payment } from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { Link } from "../store/members/sync.ts";
import type { Ledger } from "../store/operations.ts";
import {
  type ChargeWithRefunds,
  chargesOfPayment,
  chargesWithRefunds,
  fetchInvoice,
  fetchInvoices,
  type Snapshot,
} from "./snapshot.ts";
import { type Billing, undefinedIfMissing } from "./stripe.ts";

/**
 * Whether a customer was deleted at Stripe, where deleted customers can still be retrieved. False if Stripe does not know the
 * customer, as with the key of another account.
 */
export async function isDeleted(billing: Billing, { customer_id }: Pick<Link, "customer_id">): Promise<boolean> {
  const customer = await undefinedIfMissing(
    billing((stripe, options) => stripe.customers.retrieve(customer_id, {}, options)),
  );
  return customer?.deleted === true;
}

/**
 * Reads the data that is still available after a customer was deleted at Stripe: the subscription of the member's record,
 * which Stripe ended with the customer, its invoices and their charges, the charges of other stored payments, and the invoices
 * of those that were not paid yet, such as by bank debit.
 *
 * @returns undefined if Stripe does not know the subscription either, as with the key of another account, or if there is
 * neither a subscription nor a charge
 */
export async function snapshotOfDeleted(
  billing: Billing,
  { customer_id }: Pick<Link, "customer_id">,
  member: StoredMember | undefined,
  { payments }: Ledger,
): Promise<Snapshot | undefined> {
  const storedPayments = payments.filter((payment) => payment.customer_id === customer_id);
  const id = member?.stripe_subscription_id;
  const subscription = id
    ? await undefinedIfMissing(billing((stripe, options) => stripe.subscriptions.retrieve(id, {}, options)))
    : undefined;
  if (id && !subscription) return undefined;
  const invoices = id ? await fetchInvoices(billing, { subscription: id }) : [];
  const others = storedPayments.filter((payment) => !invoices.some((invoice) => invoice.id === payment.id));
  const open = others.filter(({ status }) => status !== "paid" && status !== "void");
  const formerInvoices = await invoicesById(
    billing,
    open.map((payment) => payment.id),
  );
  const invoiceCharges = await chargesOfInvoices(billing, [...invoices, ...formerInvoices]);
  const otherIds = chargeIdsOf(storedPayments).filter(
    (chargeId) => !invoiceCharges.some(({ charge }) => charge.id === chargeId),
  );
  const charges = [...invoiceCharges, ...(await chargesById(billing, otherIds))];
  if (!subscription && charges.length === 0) return undefined;
  const subscriptions = subscription ? [subscription] : [];
  return { customer: undefined, isDeleted: true, subscriptions, charges, invoices, formerInvoices };
}

/** A charge or an invoice of a customer who was deleted at Stripe and replaced by another. */
export type FormerSubject = { readonly charge: string } | { readonly invoice: string };

/** Reads a charge or an invoice of a former customer, and the charges of the invoice. */
export async function fetchFormer(
  billing: Billing,
  former: FormerSubject,
): Promise<Required<Pick<Snapshot, "charges" | "formerInvoices">>> {
  if ("charge" in former) return { charges: await chargesById(billing, [former.charge]), formerInvoices: [] };
  const formerInvoices = await invoicesById(billing, [former.invoice]);
  return { charges: await chargesOfInvoices(billing, formerInvoices), formerInvoices };
}

/** Reads invoices at Stripe. Omits those that Stripe does not know. */
const invoicesById = async (billing: Billing, ids: readonly string[]): Promise<Stripe.Invoice[]> =>
  (await Promise.all(ids.map((id) => fetchInvoice(billing, id)))).filter((invoice) => invoice !== undefined);

const chargeIdsOf = (payments: readonly Payment[]): string[] =>
  payments.flatMap(({ charges }) => charges.map(({ id }) => id));

async function chargesOfInvoices(billing: Billing, invoices: readonly Stripe.Invoice[]): Promise<ChargeWithRefunds[]> {
  const payments = invoices.flatMap((invoice) => invoice.payments?.data ?? []);
  return (await Promise.all(payments.map((payment) => chargesOfPayment(billing, payment)))).flat();
}

/** Reads charges at Stripe. Omits those that Stripe does not know. */
async function chargesById(billing: Billing, ids: readonly string[]): Promise<ChargeWithRefunds[]> {
  const charges = await Promise.all(
    ids.map((id) =>
      undefinedIfMissing(billing((stripe, options) => stripe.charges.retrieve(id, { expand: ["refunds"] }, options))),
    ),
  );
  return chargesWithRefunds(
    billing,
    charges.filter((charge) => charge !== undefined),
  );
}
