import type Stripe from "stripe";
import { RefundEntry } from "../fields/refund.ts";
import type { StoredRefund } from "../store/facts.ts";
import type { ShippingAddress } from "../values/address.ts";
import { type MemberStatus, statuses } from "../values/member-status.ts";
import { type Billing, undefinedIfMissing } from "./stripe.ts";

/** The data of one Stripe customer from which memberships and payments are derived. */
export type Snapshot = {
  readonly customer: Stripe.Customer | undefined;
  /** Whether the customer was deleted. Stripe may still list their data. */
  readonly isDeleted: boolean;
  /** Newest first. */
  readonly subscriptions: readonly Stripe.Subscription[];
  /** Newest first, each with all of its refunds and disputes. */
  readonly charges: readonly ChargeWithRefunds[];
  /** Newest first, each with all attempted payments. */
  readonly invoices: readonly Stripe.Invoice[];
  /** Invoices of a customer of the member who was deleted, of which nothing can be refunded. Their charges are among `charges`. */
  readonly formerInvoices?: readonly Stripe.Invoice[];
};

export type ChargeWithRefunds = {
  readonly charge: Stripe.Charge;
  readonly refunds: readonly Stripe.Refund[];
  readonly disputes: readonly Stripe.Dispute[];
};

/** What to expand for a synchronization. The key of the routes that only read has no permission for it. */
export const withSchedules = ["data.schedule"];

/**
 * Reads a customer's data with three parallel calls. More calls are necessary only for customers with disputes, more than
 * 100 objects of a kind, or more than ten payments of an invoice.
 */
export async function fetchSnapshot(
  billing: Billing,
  customer: string,
  expand: readonly string[] = [],
): Promise<Snapshot> {
  const [subscriptions, charges, invoices] = await Promise.all([
    billing((stripe, options) =>
      stripe.subscriptions
        .list(
          {
            customer,
            status: "all",
            limit: 100,
            expand: ["data.customer", "data.discounts.source.coupon", ...expand],
          },
          options,
        )
        .autoPagingToArray({ limit: 10_000 }),
    ),
    fetchCharges(billing, customer),
    fetchInvoices(billing, { customer }),
  ]);
  const [first] = subscriptions;
  const owner = first && typeof first.customer === "object" ? first.customer : undefined;
  const isDeleted = owner?.deleted === true;
  return { customer: owner?.deleted ? undefined : owner, isDeleted, subscriptions, charges, invoices };
}

/** Reads every invoice of a customer or subscription with all its payments. Stripe includes the first ten. */
export async function fetchInvoices(
  billing: Billing,
  filter: Pick<Stripe.InvoiceListParams, "customer" | "subscription">,
): Promise<Stripe.Invoice[]> {
  const invoices = await billing((stripe, options) =>
    stripe.invoices
      .list({ ...filter, limit: 100, expand: ["data.payments", "data.amount_paid_off_stripe"] }, options)
      .autoPagingToArray({ limit: 10_000 }),
  );
  return Promise.all(invoices.map((invoice) => withAllPayments(billing, invoice)));
}

/** Reads an invoice with all its payments. Undefined if Stripe does not know it. */
export async function fetchInvoice(billing: Billing, id: string): Promise<Stripe.Invoice | undefined> {
  const invoice = await undefinedIfMissing(
    billing((stripe, options) =>
      stripe.invoices.retrieve(id, { expand: ["payments", "amount_paid_off_stripe"] }, options),
    ),
  );
  return invoice && withAllPayments(billing, invoice);
}

async function withAllPayments(billing: Billing, invoice: Stripe.Invoice): Promise<Stripe.Invoice> {
  if (!invoice.payments?.has_more) return invoice;
  const data = await billing((stripe, options) =>
    stripe.invoicePayments.list({ invoice: invoice.id, limit: 100 }, options).autoPagingToArray({ limit: 10_000 }),
  );
  return { ...invoice, payments: { ...invoice.payments, data, has_more: false } };
}

/** Reads every charge of a customer with all its refunds and disputes. */
export async function fetchCharges(billing: Billing, customer: string): Promise<ChargeWithRefunds[]> {
  const charges = await billing((stripe, options) =>
    stripe.charges
      .list({ customer, limit: 100, expand: ["data.refunds"] }, options)
      .autoPagingToArray({ limit: 10_000 }),
  );
  return chargesWithRefunds(billing, charges);
}

export const chargesWithRefunds = (billing: Billing, charges: readonly Stripe.Charge[]): Promise<ChargeWithRefunds[]> =>
  Promise.all(
    charges.map(async (charge) => {
      const [refunds, disputes] = await Promise.all([refundsOf(billing, charge), disputesOf(billing, charge)]);
      return { charge, refunds, disputes };
    }),
  );

/** Reads the charges of an invoice payment. A payment without a payment intent names its charge. */
export async function chargesOfPayment(
  billing: Billing,
  { payment: { payment_intent: intent, charge } }: Stripe.InvoicePayment,
): Promise<ChargeWithRefunds[]> {
  const [payment_intent, id] = [idOf(intent), idOf(charge)];
  const expand = ["refunds"];
  if (payment_intent === undefined)
    return id === undefined
      ? []
      : chargesWithRefunds(billing, [
          await billing((stripe, options) => stripe.charges.retrieve(id, { expand }, options)),
        ]);
  const { data } = await billing((stripe, options) =>
    stripe.charges.list({ payment_intent, limit: 100, expand: ["data.refunds"] }, options),
  );
  return chargesWithRefunds(billing, data);
}

async function disputesOf(billing: Billing, { id, disputed }: Stripe.Charge): Promise<readonly Stripe.Dispute[]> {
  if (!disputed) return [];
  const { data } = await billing((stripe, options) => stripe.disputes.list({ charge: id, limit: 100 }, options));
  return data;
}

async function refundsOf(billing: Billing, { id, refunds }: Stripe.Charge): Promise<readonly Stripe.Refund[]> {
  if (!refunds?.has_more) return refunds?.data ?? [];
  return billing((stripe, options) =>
    stripe.refunds.list({ charge: id, limit: 100 }, options).autoPagingToArray({ limit: 10_000 }),
  );
}

const statusFromStripe: Readonly<Record<Stripe.Subscription.Status, MemberStatus>> = {
  active: "active",
  trialing: "trialing",
  past_due: "past_due",
  unpaid: "unpaid",
  canceled: "canceled",
  incomplete: "incomplete",
  incomplete_expired: "canceled",
  paused: "unpaid",
};

/** Translates a subscription's status. A status that Stripe adds later grants no access. */
export const statusOf = ({ status }: Stripe.Subscription): MemberStatus =>
  (statusFromStripe as Readonly<Partial<Record<string, MemberStatus>>>)[status] ?? "unpaid";

/**
 * Whether a subscription was paused on request, not because a payment failed or a trial ended without a payment method
 * (https://docs.stripe.com/billing/subscriptions/pausing).
 */
export const isPauseWanted = ({ status, status_details }: Stripe.Subscription): boolean =>
  status === "paused" && status_details?.paused?.subscription.type === "pause_requested";

/** Whether a subscription prevents a new checkout. */
export const isLive = (subscription: Stripe.Subscription): boolean => statuses[statusOf(subscription)].isLive;

export const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();
const isoOrNull = (seconds: number | null): string | null => (seconds === null ? null : isoOf(seconds));

/** The fields of a member's record that are copied from their subscription. */
export function subscriptionFields(subscription: Stripe.Subscription) {
  const { cancel_at, cancel_at_period_end, trial_start, trial_end, canceled_at, ended_at, items, created } =
    subscription;
  const starts = items.data.map((item) => item.current_period_start);
  const ends = items.data.map((item) => item.current_period_end);
  const periodEnd = ends.length > 0 ? Math.min(...ends) : created;
  const isScheduled = (cancel_at_period_end || cancel_at !== null) && ended_at === null;
  return {
    stripe_subscription_id: subscription.id,
    status: statusOf(subscription),
    current_period_start: isoOf(starts.length > 0 ? Math.max(...starts) : created),
    current_period_end: isoOf(periodEnd),
    // The customer portal sets only `cancel_at` on subscriptions with flexible billing (stripe-node issue 2470).
    cancel_at_period_end: isScheduled && (cancel_at ?? periodEnd) <= periodEnd,
    cancel_at: isScheduled ? isoOf(cancel_at ?? periodEnd) : null,
    trial_start: isoOrNull(trial_start),
    trial_end: isoOrNull(trial_end),
    canceled_at: isoOrNull(canceled_at),
    ended_at: isoOrNull(ended_at),
  };
}

/**
 * The id of the community's tier to which the price of a subscription belongs. Undefined if it belongs to none of them.
 */
export const tierOf = ({ items }: Stripe.Subscription, tierIds: ReadonlySet<number>): number | undefined =>
  items.data.map(({ price }) => Number(price.metadata.tier_id)).find((id) => tierIds.has(id));

/**
 * The shipping address of a customer. Fields that are null at Stripe become empty strings. Null if the customer has no
 * address.
 */
export function addressOf(customer: Stripe.Customer | undefined): ShippingAddress | null {
  const { shipping } = customer ?? {};
  if (!shipping?.address?.line1) return null;
  const { line1, line2, city, state, postal_code, country } = shipping.address;
  return {
    name: shipping.name ?? "",
    line1: line1 ?? "",
    line2: line2 ?? "",
    city: city ?? "",
    state: state ?? "",
    postal_code: postal_code ?? "",
    country: country ?? "",
    phone: shipping.phone ?? "",
  };
}

export const isPaid = ({ status, captured }: Stripe.Charge): boolean => status === "succeeded" && captured;

/** A refund as Stripe returns it, without the note and issuer, which only Odis knows. */
export function refundFacts(refund: Stripe.Refund, charge: Stripe.Charge): StoredRefund {
  return {
    refund_id: refund.id,
    charge_id: charge.id,
    amount_cents: refund.amount,
    reason: reasonOf(refund.reason),
    status: refundStatusOf(refund.status),
    note: null,
    issued_at: isoOf(refund.created),
    issued_by: null,
    operation_id: refund.metadata?.operation_id ?? null,
  };
}

const reasonOf = (reason: string | null): RefundEntry["reason"] =>
  RefundEntry.entries.reason.options.find((option) => option === reason) ?? "unspecified";

/** Stripe omits the status of some completed refunds. */
const refundStatusOf = (status: string | null): RefundEntry["status"] =>
  RefundEntry.entries.status.options.find((option) => option === status) ?? "succeeded";

export const idOf = (reference: string | { readonly id: string } | null | undefined): string | undefined =>
  typeof reference === "object" ? reference?.id : reference;
