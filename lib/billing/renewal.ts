import type Stripe from "stripe";
import type { TierFields } from "../domain/tier.ts";
import type { ScheduledChange } from "../fields/member.ts";
import type { StoredMember } from "../store/members/item.ts";
import { statuses } from "../values/member-status.ts";
import { endsWithPeriod } from "./change-state.ts";
import { invoicedCents, isCharged } from "./monthly-amount.ts";
import { idOf, isoOf, statusOf, subscriptionFields } from "./snapshot.ts";

/** The fields of a tier from which a member's record and the change of a subscription to one of its prices are derived. */
export type SoldTier = Pick<
  TierFields,
  | "id"
  | "name"
  | "monthly_price_dollars"
  | "yearly_price_dollars"
  | "requires_shipping_address"
  | "stripe_price_id"
  | "yearly_stripe_price_id"
>;

type Renewal = Pick<StoredMember, "interval" | "price_cents" | "scheduled_change">;

/** Without a subscription, the interval is that of the last one. */
export const notRenewed = { price_cents: null, scheduled_change: null } as const;

/**
 * What the next renewals of a subscription charge. Knows a scheduled change only if it is to a current price of one of
 * the tiers. If the subscription's schedule is not expanded, keeps the change that was known before, until
 * its period has begun.
 */
export function renewalOf(subscription: Stripe.Subscription, tiers: readonly SoldTier[], before: Renewal): Renewal {
  const interval = intervalOf(subscription);
  const { current_period_start, current_period_end } = subscriptionFields(subscription);
  if (endsWithPeriod(subscription)) return { interval, ...notRenewed };
  const { schedule } = subscription;
  const known = (before.scheduled_change?.at ?? "") > current_period_start ? before.scheduled_change : null;
  const scheduled_change = typeof schedule === "string" ? known : changeOf(subscription, schedule, tiers);
  const isNext = scheduled_change !== null && scheduled_change.at <= current_period_end;
  // Stripe makes a scheduled change also while it collects nothing.
  if (!statuses[statusOf(subscription)].grantsAccess || !isCharged(subscription))
    return { interval, price_cents: null, scheduled_change };
  const own = invoicedCents(subscription, discountsAt(current_period_end));
  return { interval, price_cents: isNext ? scheduled_change.price_cents : own, scheduled_change };
}

/** The billing period of a subscription. Null for one that is neither a month nor a year. */
function intervalOf({ items }: Stripe.Subscription): StoredMember["interval"] {
  const { interval, interval_count } = items.data[0]?.price.recurring ?? {};
  return (["month", "year"] as const).find((name) => name === interval && interval_count === 1) ?? null;
}

/** The discounts that are left at a time. */
export const discountsAt = (at: string) => (_: Stripe.Coupon, end: number | null) => end === null || isoOf(end) > at;

/** The next phase of a subscription's schedule. */
function changeOf(
  subscription: Stripe.Subscription,
  schedule: Stripe.SubscriptionSchedule | null,
  tiers: readonly SoldTier[],
): ScheduledChange | null {
  if (!schedule) return null;
  const { items } = subscription;
  const { phases, current_phase } = schedule;
  const next = phases.find(({ start_date }) => current_phase !== null && start_date >= current_phase.end_date);
  const wanted = next?.items[0];
  const price = idOf(wanted?.price);
  if (!next || !wanted || price === undefined || price === items.data[0]?.price.id) return null;
  const sold = plannedIn(schedule, price, tiers) ?? soldAs(price, tiers);
  if (!sold) return null;
  const at = isoOf(next.start_date);
  const then = withPrice(subscription, sold, wanted.quantity ?? 1);
  const { id, name } = sold.tier;
  return { tier: { id, name }, interval: sold.interval, price_cents: invoicedCents(then, discountsAt(at)), at };
}

/** The tier, interval and amount that Odis has planned in a schedule that it made. */
function plannedIn({ metadata }: Stripe.SubscriptionSchedule, price: string, tiers: readonly SoldTier[]) {
  const { made_by, price_id, tier_id, interval, cents } = metadata ?? {};
  const tier = tiers.find(({ id }) => String(id) === tier_id);
  if (made_by !== "odis" || price_id !== price || !tier) return undefined;
  return { tier, interval: interval === "year" ? ("year" as const) : ("month" as const), cents: Number(cents) };
}

/** The subscription as it would be with another price. */
export function withPrice(
  subscription: Stripe.Subscription,
  { interval, cents }: { readonly interval: "month" | "year"; readonly cents: number },
  quantity = 1,
): Stripe.Subscription {
  const { items } = subscription;
  const data = items.data.slice(0, 1).map((item) => {
    const recurring = item.price.recurring && { ...item.price.recurring, interval, interval_count: 1 };
    return { ...item, quantity, price: { ...item.price, unit_amount: cents, recurring } };
  });
  return { ...subscription, items: { ...items, data } };
}

/** The tier, interval and amount of a current price. */
function soldAs(price: string, tiers: readonly SoldTier[]) {
  for (const tier of tiers) {
    const { monthly_price_dollars: monthly, yearly_price_dollars: yearly } = tier;
    if (price === tier.stripe_price_id) return { tier, interval: "month", cents: Math.round(monthly * 100) } as const;
    if (price === tier.yearly_stripe_price_id && yearly !== null)
      return { tier, interval: "year", cents: Math.round(yearly * 100) } as const;
  }
  return undefined;
}
