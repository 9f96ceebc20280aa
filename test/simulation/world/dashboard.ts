import type Stripe from "stripe";
import type { Account } from "stripe-stand-in";
import { ask } from "./stripe-client.ts";
import type { World } from "./world.ts";

/** Calls a control of the stand-in, like a person in the dashboard or on a hosted page. @returns the status */
export async function atStripe({ stripe, changedElsewhere }: World, path: string, body: object): Promise<number> {
  const [kind, id] = path.split("/");
  if (kind === "subscriptions" && id !== undefined) changedElsewhere.add(id);
  const request = { method: "POST", path: `/_fake/${path}`, headers: {}, body: JSON.stringify(body) };
  const { status } = await ask(stripe, request);
  return status;
}

/** Reads the account without a request. */
export const look = <T>({ stripe }: World, at: (account: Account) => T): T => stripe.act(at);

export const openSessions = (world: World): Stripe.Checkout.Session[] =>
  look(world, (account) => [...account.rows("checkout.session")].filter(({ status }) => status === "open"));

export const portalSessions = (world: World): Stripe.BillingPortal.Session[] =>
  look(world, (account) => [...account.rows("billing_portal.session")]);

export const subscriptionsOf = (world: World, customer?: string | null): Stripe.Subscription[] =>
  look(world, (account) =>
    [...account.rows("subscription")].filter((one) => customer === undefined || one.customer === customer),
  );

/** Whether Odis has rejected a subscription. Members can write comments that begin in the same way. */
export const isRejected = ({ cancellation_details: details }: Stripe.Subscription): boolean =>
  details?.comment === "Rejected by Odis: a live subscription, a block or an archived tier stood in the way";

export const chargesOf = (world: World, customer?: string | null): Stripe.Charge[] =>
  look(world, (account) =>
    [...account.rows("charge")].filter((one) => customer === undefined || one.customer === customer),
  );

export const refundsOf = (world: World, charge?: string): Stripe.Refund[] =>
  look(world, (account) => [...account.rows("refund")].filter((one) => charge === undefined || one.charge === charge));

export const customerOf = (world: World, id: string): Stripe.Customer | Stripe.DeletedCustomer | undefined =>
  look(world, (account) => account.get("customer", id));

export const invoicesOf = (world: World, subscription?: string): Stripe.Invoice[] =>
  look(world, (account) =>
    [...account.rows("invoice")].filter(
      ({ parent }) => subscription === undefined || parent?.subscription_details?.subscription === subscription,
    ),
  );

const perMonth: Readonly<Record<string, number>> = { day: 365 / 12, week: 52 / 12, month: 1, year: 1 / 12 };

/**
 * The monthly amount of a subscription after its recurring discounts, which apply one after the other. Returns the
 * current amount, and the amount before each discount of this period that has ended, because a stored member may still
 * have that one.
 */
export function monthlyOf(world: World, { items, discounts }: Stripe.Subscription): number[] {
  const [item] = items.data;
  if (!item?.price.recurring) return [0];
  const { unit_amount, recurring } = item.price;
  const share = (perMonth[recurring.interval] ?? 0) / recurring.interval_count;
  const full = (unit_amount ?? 0) * (item.quantity ?? 1) * share;
  const running = look(world, (account) => discounts.flatMap((one) => account.get("discount", one) ?? []));
  const now = world.timeline.now / 1000;
  const ends = running.flatMap(({ end }) => (end !== null && end <= now ? [end - 1] : []));
  return [now, ...ends].map((at) =>
    running
      .filter(({ end }) => end === null || end > at)
      .reduce((left, { source }) => {
        const coupon = look(world, (account) => account.get("coupon", source.coupon));
        if (!coupon || coupon.duration === "once") return left;
        const { percent_off, amount_off } = coupon;
        return percent_off === null ? left - (amount_off ?? 0) * share : Math.max(0, left) * (1 - percent_off / 100);
      }, full),
  );
}

/** The sum of payments for a subscription outside Stripe. */
export function paidElsewhere(world: World, subscription: string): number {
  const invoices = new Set(invoicesOf(world, subscription).map(({ id }) => id));
  const payments = look(world, (account) => [...account.rows("invoice_payment")]);
  return payments
    .filter(({ invoice, payment }) => invoices.has(idOf(invoice)) && payment.type === "payment_record")
    .reduce((sum, { amount_paid }) => sum + (amount_paid ?? 0), 0);
}

/** The payments for a subscription, at Stripe and outside of it, by day. */
export function paidOn(world: World, subscription: string): [day: string, cents: number][] {
  return invoicesOf(world, subscription).flatMap(({ id, status_transitions: { paid_at } }) => {
    const payments = look(world, (account) => [...account.rows("invoice_payment")]).filter(
      ({ invoice }) => idOf(invoice) === id,
    );
    const intents = payments.flatMap(({ payment }) => payment.payment_intent ?? []);
    const collected = chargesOf(world).filter(
      ({ status, payment_intent }) => status === "succeeded" && payment_intent && intents.includes(payment_intent),
    );
    return [
      ...collected.map(({ created, amount_captured }) => [paid_at ?? created, amount_captured] as const),
      ...payments
        .filter(({ payment }) => payment.type === "payment_record")
        .map(({ amount_paid, created }) => [paid_at ?? created, amount_paid ?? 0] as const),
    ].map(([seconds, cents]): [string, number] => [new Date(seconds * 1000).toISOString().slice(0, 10), cents]);
  });
}

const idOf = (reference: string | { readonly id: string }): string =>
  typeof reference === "string" ? reference : reference.id;

export const disputeOf = (world: World, charge: string): Stripe.Dispute | undefined =>
  look(world, (account) => [...account.rows("dispute")].find((one) => one.charge === charge));

/** The charges that paid the invoices of a subscription. */
export function chargesFor(world: World, subscription: string): Stripe.Charge[] {
  const invoices = new Set(invoicesOf(world, subscription).map(({ id }) => id));
  return look(world, (account) => {
    const intents = [...account.rows("invoice_payment")]
      .filter(({ invoice }) => invoices.has(idOf(invoice)))
      .map(({ payment }) => payment.payment_intent);
    return [...account.rows("charge")].filter(
      ({ payment_intent, status }) => status === "succeeded" && intents.includes(payment_intent ?? undefined),
    );
  });
}
