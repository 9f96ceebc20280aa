import type Stripe from "stripe";
import { setBy } from "../fields/field.ts";
import { type Charge, paymentFields } from "../fields/payment.ts";
import type { RefundEntry } from "../fields/refund.ts";
import { pick } from "../pick.ts";
import type { Payment } from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { Ledger } from "../store/operations.ts";
import { periodOf } from "./invoice-line.ts";
import { ownSubscriptions } from "./ownership.ts";
import { type ChargeWithRefunds, fetchSnapshot, idOf, isoOf, isPaid, type Snapshot } from "./snapshot.ts";
import { type Billing, isUnknownCustomer } from "./stripe.ts";

/** The currency of all sums. Payments in other currencies are ignored. */
export const currency = "usd";

type Read = {
  /** Undefined if the member has no customer, or the customer was deleted at Stripe or is unknown to it. */
  readonly snapshot: Snapshot | undefined;
  readonly ledger: Ledger;
  /** The tiers of the member's community. */
  readonly tiers: readonly { readonly id: number }[];
};

/** All payments of a member, whether or not they have been stored. */
export function memberPayments(member: StoredMember, { snapshot, ledger, tiers }: Read): Payment[] {
  const scope = { memberId: member.id, tierIds: new Set(tiers.map(({ id }) => id)) };
  return paymentsOf(snapshot, ledger, ownSubscriptions(member, snapshot?.subscriptions ?? [], ledger, scope));
}

/** Reads the data of a customer that was not deleted. Undefined for a member without one. */
export async function findListed(
  billing: Billing,
  customer: string | null,
  expand?: readonly string[],
): Promise<Snapshot | undefined> {
  const snapshot = customer ? await findSnapshot(billing, customer, expand) : undefined;
  return snapshot?.isDeleted ? undefined : snapshot;
}

/** Reads a customer's data at Stripe. Undefined if Stripe does not know the customer. */
export const findSnapshot = (
  billing: Billing,
  customer: string,
  expand?: readonly string[],
): Promise<Snapshot | undefined> =>
  fetchSnapshot(billing, customer, expand).catch((error: unknown) => {
    if (!isUnknownCustomer(error, customer)) throw error;
    return undefined;
  });

/**
 * Every payment of a member, newest first (`docs/api.md`, section 3, "Subscriptions of a member"): the invoices of
 * their subscriptions in US dollars at Stripe, those of former customers, and stored payments that Stripe no longer
 * lists. Only payments of the current customer can be refunded.
 */
export function paymentsOf(
  snapshot: Snapshot | undefined,
  { payments: stored, subscriptions }: Ledger,
  own: readonly Stripe.Subscription[],
): Payment[] {
  const ids = new Set([...subscriptions.map(({ subscription_id }) => subscription_id), ...own.map(({ id }) => id)]);
  const paymentsFor = (invoices: readonly Stripe.Invoice[] = []) =>
    invoices.flatMap((invoice) => {
      const subscription = subscriptionIdOf(invoice);
      if (subscription === undefined || !ids.has(subscription) || invoice.currency !== currency) return [];
      return toPayment(invoice, subscription, chargesOf(invoice, snapshot?.charges ?? []));
    });
  const live = paymentsFor(snapshot?.invoices);
  const liveIds = new Set(live.map(({ id }) => id));
  const former = paymentsFor(snapshot?.formerInvoices).filter(({ id }) => !liveIds.has(id));
  const listed = new Set([...live, ...former].map(({ id }) => id));
  const charges = new Map((snapshot?.charges ?? []).map((charge) => [charge.charge.id, toPaymentCharge(charge)]));
  const unlisted = stored.filter(({ id }) => !listed.has(id)).map((payment) => pick(payment, syncedNames));
  const notRefundable = [...former, ...unlisted].map((payment) => withoutRefundable(payment, charges));
  return [...live, ...notRefundable].toSorted((a, b) => (positionOf(a) < positionOf(b) ? 1 : -1));
}

const syncedNames = setBy(paymentFields, "sync");

/** Sort key of a payment: its time, then its id. */
export const positionOf = ({ created_at, id }: Pick<Payment, "created_at" | "id">): string => `${created_at} ${id}`;

type PaymentCharge = Payment["charges"][number];

/** A payment of a former customer, with the current state of its charges. Nothing of it can be refunded. */
const withoutRefundable = (payment: Payment, charges: ReadonlyMap<string, PaymentCharge>): Payment => ({
  ...payment,
  charges: payment.charges.map((charge) => {
    const current = charges.get(charge.id) ?? charge;
    const paid_cents = Math.min(charge.paid_cents || current.paid_cents, current.paid_cents);
    return { ...current, paid_cents, refundable_cents: 0 };
  }),
});

/** A payment as it is stored: without links to Stripe's pages, which expire. */
export const withoutLinks = (payment: Payment): Payment => ({
  ...payment,
  hosted_invoice_url: null,
  invoice_pdf: null,
  charges: payment.charges.map((charge) => ({ ...charge, receipt_url: null })),
});

export const subscriptionIdOf = ({ parent }: Stripe.Invoice): string | undefined =>
  idOf(parent?.subscription_details?.subscription);

/** The charges of all attempts to pay an invoice. */
export function chargesOf(invoice: Stripe.Invoice, charges: readonly ChargeWithRefunds[]): ChargeWithRefunds[] {
  const payments = (invoice.payments?.data ?? []).map(({ payment }) => payment);
  const ids = new Set(payments.flatMap((payment) => [idOf(payment.payment_intent), idOf(payment.charge)]));
  return charges.filter(({ charge }) => ids.has(charge.id) || ids.has(idOf(charge.payment_intent) ?? ""));
}

/**
 * The part of a charge that pays an invoice, in US cents. It can be less than the charge, because a payment can pay several
 * invoices (https://docs.stripe.com/api/invoice-payment/object). Until Stripe sets `amount_paid`, `amount_requested` counts.
 */
export function allocatedTo({ payments }: Stripe.Invoice, { charge }: ChargeWithRefunds): number {
  const ids = [charge.id, idOf(charge.payment_intent)];
  const own = (payments?.data ?? []).filter(({ payment, status }) => {
    const id = idOf(payment.payment_intent) ?? idOf(payment.charge);
    return status !== "canceled" && id !== undefined && ids.includes(id);
  });
  return sum(own.map(({ amount_paid, amount_requested }) => amount_paid ?? amount_requested));
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
    charges: charges.map((charge) => ({
      ...toCharge(charge),
      paid_cents: Math.min(paidOf(charge), allocatedTo(invoice, charge)),
    })),
  };
}

const toPaymentCharge = (charge: ChargeWithRefunds): PaymentCharge => ({
  ...toCharge(charge),
  paid_cents: paidOf(charge),
});

/** Collected amount in US cents. 0 while the payment is pending. */
const paidOf = ({ charge }: ChargeWithRefunds): number => (isPaid(charge) ? charge.amount_captured : 0);

/** Whether the bank has returned the money: the dispute was lost, or its loss is under appeal. */
export const isLost = ({ status, is_charge_refundable }: Stripe.Dispute): boolean =>
  status === "lost" || (status.startsWith("appeal_") && !is_charge_refundable);

/** Whether a customer got the money back for good: the dispute was lost, or was prevented by returning it. */
export const isGivenBack = ({ status, is_charge_refundable }: Stripe.Dispute): boolean =>
  status === "lost" || (status === "prevented" && !is_charge_refundable);

/** Whether Stripe refuses to refund a charge until its dispute is decided. */
export const isHeld = ({ disputes }: ChargeWithRefunds): boolean =>
  disputes.some(
    ({ status, is_charge_refundable }) =>
      (status === "needs_response" || status === "under_review") && !is_charge_refundable,
  );

/** Refundable amount in US cents. 0 if a dispute of the charge has returned the money, or prevents refunds. */
const refundableOf = (of: ChargeWithRefunds): number =>
  isPaid(of.charge) && !isHeld(of) && !of.disputes.some((one) => isLost(one) || isGivenBack(one))
    ? unrefundedOf(of.charge)
    : 0;

export const unrefundedOf = ({ amount_captured, amount_refunded }: Stripe.Charge): number =>
  amount_captured - amount_refunded;

function toCharge(chargeWithRefunds: ChargeWithRefunds): Charge {
  const { charge } = chargeWithRefunds;
  return {
    id: charge.id,
    status: charge.status,
    amount_cents: charge.amount,
    amount_refunded_cents: charge.amount_refunded,
    refundable_cents: refundableOf(chargeWithRefunds),
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
 * Total paid and refunded amounts in US cents. Computed from all payments and refunds each time, never incremented. A
 * refund counts if its charge was paid, unless the refund has failed or was canceled.
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

/** Paid amounts in US cents by UTC day: the day the invoice was paid, or the day of the charge if it is not fully paid. */
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
