import type Stripe from "stripe";
import * as v from "valibot";
import type { Charge } from "../domain/payment.ts";
import { open } from "../store/communities.ts";
import { Payment } from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import { type Ledger, ledgerOf } from "../store/operations.ts";
import type { Reader } from "../store/table.ts";
import type { RefundEntry } from "../values/refund-entry.ts";
import { ownSubscriptions } from "./ownership.ts";
import { type ChargeWithRefunds, fetchSnapshot, idOf, isoOf, isPaid, type Snapshot } from "./snapshot.ts";
import { type Billing, isUnknownCustomer } from "./stripe.ts";

/** The one currency that sums are in. */
export const currency = "usd";

/** A member's money: the data at Stripe, and the payments that sums, history and refunds are computed from. */
export type Money = {
  /** Undefined if there is no customer, they were deleted, or Stripe does not know them. */
  readonly snapshot: Snapshot | undefined;
  readonly payments: readonly Payment[];
};

/** A member's money as it is now, whether or not it has been copied already. */
export async function moneyOf(
  { table, billing }: { readonly table: Reader; readonly billing: Billing },
  member: StoredMember,
): Promise<Money> {
  const { stripe_customer_id: customer } = member;
  const [ledger, { tiers }, found] = await Promise.all([
    ledgerOf(table, member.id),
    open(table, member.community_id),
    customer ? snapshotOf(billing, customer) : undefined,
  ]);
  const snapshot = found?.isDeleted ? undefined : found;
  const place = { memberId: member.id, tierIds: new Set(tiers.map(({ id }) => id)) };
  const own = ownSubscriptions(member, snapshot?.subscriptions ?? [], ledger, place);
  return { snapshot, payments: paymentsOf(snapshot, ledger, own) };
}

/** What Stripe holds of a customer; undefined where it no longer knows them. */
export const snapshotOf = (billing: Billing, customer: string): Promise<Snapshot | undefined> =>
  fetchSnapshot(billing, customer).catch((error: unknown) => {
    if (!isUnknownCustomer(error, customer)) throw error;
    return undefined;
  });

/**
 * Every payment of a member, newest first (`docs/api.md`, section 3, "Subscriptions of a member"): the invoices of their
 * subscriptions, in dollars, as Stripe shows them, and those that Stripe no longer lists, as they were. Nothing of the
 * latter can be refunded.
 */
export function paymentsOf(
  snapshot: Snapshot | undefined,
  { payments: stored, subscriptions }: Ledger,
  own: readonly Stripe.Subscription[],
): Payment[] {
  const ids = new Set([...subscriptions.map(({ subscription_id }) => subscription_id), ...own.map(({ id }) => id)]);
  const live = (snapshot?.invoices ?? []).flatMap((invoice) => {
    const subscription = subscriptionOf(invoice);
    if (subscription === undefined || !ids.has(subscription) || invoice.currency !== currency) return [];
    return toPayment(invoice, subscription, chargesOf(invoice, snapshot?.charges ?? []));
  });
  const listed = new Set(live.map(({ id }) => id));
  const known = new Map((snapshot?.charges ?? []).map((one) => [one.charge.id, paymentCharge(one)]));
  const kept = stored.filter(({ id }) => !listed.has(id)).map((payment) => spent(v.parse(Payment, payment), known));
  return [...live, ...kept].toSorted((a, b) => (positionOf(a) < positionOf(b) ? 1 : -1));
}

/** Sort key of a payment: its time, then its id. */
export const positionOf = ({ created_at, id }: Pick<Payment, "created_at" | "id">): string => `${created_at} ${id}`;

type PaymentCharge = Payment["charges"][number];

const spent = (payment: Payment, known: ReadonlyMap<string, PaymentCharge>): Payment => ({
  ...payment,
  charges: payment.charges.map((charge) => {
    const current = known.get(charge.id) ?? charge;
    const paid_cents = Math.min(charge.paid_cents || current.paid_cents, current.paid_cents);
    return { ...current, paid_cents, refundable_cents: 0 };
  }),
});

/** A payment as it is kept: links to Stripe's pages do not last. */
export const withoutLinks = (payment: Payment): Payment => ({
  ...payment,
  hosted_invoice_url: null,
  invoice_pdf: null,
  charges: payment.charges.map((charge) => ({ ...charge, receipt_url: null })),
});

export const subscriptionOf = ({ parent }: Stripe.Invoice): string | undefined =>
  idOf(parent?.subscription_details?.subscription);

/** The charges that an invoice's payments were attempted with. */
export function chargesOf(invoice: Stripe.Invoice, charges: readonly ChargeWithRefunds[]): ChargeWithRefunds[] {
  const payments = (invoice.payments?.data ?? []).map(({ payment }) => payment);
  const ids = new Set(payments.flatMap((payment) => [idOf(payment.payment_intent), idOf(payment.charge)]));
  return charges.filter(({ charge }) => ids.has(charge.id) || ids.has(idOf(charge.payment_intent) ?? ""));
}

/**
 * What a charge pays of an invoice, in US cents. A payment can pay several invoices, so this may be less than the charge
 * (https://docs.stripe.com/api/invoice-payment/object). `amount_paid` is null until Stripe has noted the payment: until
 * then, the charge counts for what it was to pay.
 */
function allocatedTo({ payments }: Stripe.Invoice, { charge }: ChargeWithRefunds): number {
  const ids = [charge.id, idOf(charge.payment_intent)];
  const own = (payments?.data ?? []).filter(({ payment, status }) => {
    const id = idOf(payment.payment_intent) ?? idOf(payment.charge);
    return status !== "canceled" && id !== undefined && ids.includes(id);
  });
  return sum(own.map(({ amount_paid, amount_requested }) => amount_paid ?? amount_requested));
}

/** The billing period that an invoice pays for. Its own period is the past one, in which its items were added. */
function periodOf({ lines, period_start, period_end }: Stripe.Invoice) {
  const line = lines.data.find(({ parent }) => parent?.subscription_item_details?.proration === false);
  const { start, end } = line?.period ?? { start: period_start, end: period_end };
  return { period_start: isoOf(start), period_end: isoOf(end) };
}

function toPayment(invoice: Stripe.Invoice, subscription_id: string, charges: readonly ChargeWithRefunds[]): Payment {
  const paidAt = invoice.status_transitions.paid_at;
  return {
    id: invoice.id,
    customer_id: idOf(invoice.customer) ?? "",
    subscription_id,
    number: invoice.number,
    status: invoice.status,
    currency: invoice.currency,
    total_cents: invoice.total,
    amount_paid_cents: invoice.amount_paid,
    amount_due_cents: invoice.amount_due,
    paid_off_stripe_cents: invoice.amount_paid_off_stripe ?? 0,
    ...periodOf(invoice),
    created_at: isoOf(invoice.created),
    paid_at: paidAt === null ? null : isoOf(paidAt),
    hosted_invoice_url: invoice.hosted_invoice_url ?? null,
    invoice_pdf: invoice.invoice_pdf ?? null,
    charges: charges.map((one) => ({ ...toCharge(one), paid_cents: Math.min(paidOf(one), allocatedTo(invoice, one)) })),
  };
}

const paymentCharge = (one: ChargeWithRefunds): PaymentCharge => ({ ...toCharge(one), paid_cents: paidOf(one) });

/** Collected amount in US cents. 0 while the payment is pending. */
const paidOf = ({ charge }: ChargeWithRefunds): number => (isPaid(charge) ? charge.amount_captured : 0);

/** Whether the bank has given the money back: a dispute was lost, or its loss is being appealed. */
const isLost = ({ status, is_charge_refundable }: Stripe.Dispute): boolean =>
  status === "lost" || (status.startsWith("appeal_") && !is_charge_refundable);

/** What can still be refunded: nothing of a charge that was lost in a dispute. */
const refundableOf = ({ charge, disputes }: ChargeWithRefunds): number =>
  isPaid(charge) && !disputes.some(isLost) ? charge.amount_captured - charge.amount_refunded : 0;

function toCharge(one: ChargeWithRefunds): Charge {
  const { charge } = one;
  return {
    id: charge.id,
    status: charge.status,
    amount_cents: charge.amount,
    amount_refunded_cents: charge.amount_refunded,
    refundable_cents: refundableOf(one),
    disputed: charge.disputed,
    failure_message: charge.failure_message,
    payment_method: charge.payment_method_details && {
      type: charge.payment_method_details.type,
      brand: charge.payment_method_details.card?.brand ?? null,
      last4: charge.payment_method_details.card?.last4 ?? null,
    },
    receipt_url: charge.receipt_url,
    created_at: isoOf(charge.created),
  };
}

/**
 * What a member paid, and what of it counts as given back: sums of all that was ever seen, never increments. A refund
 * counts while it is under way or done, and its charge counts; not one that failed or was canceled.
 */
export function sumsOf(payments: readonly Payment[], refunds: readonly RefundEntry[]) {
  const charges = payments.flatMap((payment) => payment.charges);
  const paid = new Set(charges.filter(({ paid_cents }) => paid_cents > 0).map(({ id }) => id));
  const counted = refunds.filter(
    ({ charge_id, status }) => paid.has(charge_id) && status !== "failed" && status !== "canceled",
  );
  return {
    paid_cents:
      sum(charges.map(({ paid_cents }) => paid_cents)) +
      sum(payments.map(({ paid_off_stripe_cents }) => paid_off_stripe_cents)),
    refunded_cents: sum(counted.map(({ amount_cents }) => amount_cents)),
  };
}

/** What was paid, by the day on which the invoice was, or the charge of one that is not paid in full. */
export function paidByDay(payments: readonly Payment[]): Record<string, number> {
  const days: Record<string, number> = {};
  const add = (at: string, cents: number) => {
    const day = at.slice(0, 10);
    if (cents !== 0) days[day] = (days[day] ?? 0) + cents;
  };
  for (const { paid_at, created_at, charges, paid_off_stripe_cents } of payments) {
    for (const charge of charges) add(paid_at ?? charge.created_at, charge.paid_cents);
    add(paid_at ?? created_at, paid_off_stripe_cents);
  }
  return days;
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
