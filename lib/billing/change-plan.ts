import type Stripe from "stripe";
import { canonicalJson } from "../canonical-json.ts";
import {
  type ChangeOutcome,
  type ChangeRequest,
  intervals,
  ownerTimingOf,
  ownTimingOf,
  type Price,
  type Timing,
} from "../domain/change.ts";
import type { Operation } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import type { StoredMember } from "../store/members/item.ts";
import { isEnding } from "../store/members/term.ts";
import type { OpenCommunity } from "../store/open-community.ts";
import { openPreview, type Preview } from "./change-preview.ts";
import { type ChangeIntent, hasCard, hasForeignSchedule, isDebited, itemOf, readToChange } from "./change-state.ts";
import { isUncollected } from "./collection.ts";
import type { BillingContext } from "./context.ts";
import { invoicedCents, isCharged } from "./monthly-amount.ts";
import { discountsAt, withPrice } from "./renewal.ts";
import { isoOf } from "./snapshot.ts";
import { type Billing, problemOf, undefinedIfMissing } from "./stripe.ts";
import { isSold, soldAs, unknownTier } from "./tier-price.ts";

type Parent = Pick<OpenCommunity, "id" | "status" | "tiers">;
export type Place = { readonly record: StoredMember; readonly parent: Parent };

/** Who asks for a change. Only members can be charged now. */
export type Asker = "own" | "owner";

export type Plan = Pick<ChangeIntent, "when" | "price_id" | "tier_id" | "interval" | "cents" | "charge"> & {
  readonly subscription: Stripe.Subscription;
  readonly outcome: Omit<ChangeOutcome, "status" | "preview_id">;
  /** The preview that the request confirms. */
  readonly preview: Preview | undefined;
};

/**
 * What a change would do and cost. Reads the subscription at Stripe, because the record may be older.
 *
 * @throws Problem for each reason to refuse the change (`docs/api.md`, section 3, "Change")
 */
export async function planChange(
  { billing, now }: BillingContext,
  asker: Asker,
  { record: member, parent }: Place,
  body: ChangeRequest,
): Promise<Plan> {
  assertMayChange(member, parent);
  const id = member.stripe_subscription_id;
  const subscription = id === null ? undefined : await undefinedIfMissing(readToChange(billing, id));
  if (!subscription) throw notManaged();
  const from = priceOf(subscription, parent);
  const preview = openPreview(asker, subscription.id, body, now);
  const { tier_id = from.tier_id, interval = from.interval } = body;
  const { price_id, cents } = soldAs(parent, tier_id, interval);
  const to = { tier_id, interval, cents, price_id };
  const isTrialing = subscription.status === "trialing";
  if (asker === "own" && isTrialing && from.cents === 0 && cents > 0 && !hasCard(subscription)) throw noCard();
  const timing = asker === "own" ? ownTimingOf(from, to, isTrialing) : ownerTimingOf(from, to, isTrialing);
  const { outcome, charge } = timing.isCharged
    ? await charged(billing, subscription, { from, to, at: new Date(preview && !body.dry_run ? preview.at : now) })
    : await uncharged(billing, subscription, timing, to);
  return { ...to, when: timing.when, subscription, outcome, charge, preview };
}

/** What a preview promises, as a text. A period that begins now ends a moment later if it is confirmed a moment later. */
export function promisedBy({ outcome, charge, price_id, tier_id, interval, cents }: Plan): string {
  const { next_charge_at, ...amounts } = outcome;
  const next = charge?.is_reset ? null : next_charge_at;
  return JSON.stringify([amounts, next, price_id, tier_id, interval, cents, charge]);
}

/** The time from which the prorations of a change that was refused count. Undefined for a change without a charge. */
export function plannedAt(refused: Operation | undefined): Date | undefined {
  const charge = refused?.intent.kind === "change" ? refused.intent.charge : null;
  return charge ? new Date(1000 * charge.at) : undefined;
}

/** How long ago that time may be, in milliseconds. */
const sameTimeMs = 10 * 60_000;

/** @throws Problem `preview_expired` if a change that was refused before would now be another one */
export function assertSamePlan(refused: Operation, plan: Plan, now: Date): void {
  const termsOf = ({ when, price_id, tier_id, interval, cents, charge }: ChangeIntent | Plan) =>
    canonicalJson({ when, price_id, tier_id, interval, cents, charge });
  const isSame = refused.intent.kind === "change" && termsOf(refused.intent) === termsOf(plan);
  const isRecent = now.getTime() - (plannedAt(refused) ?? now).getTime() <= sameTimeMs;
  if (!isSame || !isRecent) throw new Problem("preview_expired");
}

type Target = Price & { readonly price_id: string };

/**
 * A change that charges nothing now.
 *
 * @throws Problem `unknown_tier` if the price or its product was archived in Stripe, which Stripe says only when the change is made
 */
async function uncharged(billing: Billing, subscription: Stripe.Subscription, { when }: Timing, to: Target) {
  if (!(await isSold(billing, to.price_id))) throw inactivePrice();
  const at = isoOf(itemOf(subscription).current_period_end);
  const outcome = {
    ...nothingCharged,
    when,
    next_charge_cents: invoicedCents(withPrice(subscription, to), discountsAt(at)),
    next_charge_at: at,
  };
  return { outcome, charge: null };
}

const unpaid = { url: null, expires_at: null } as const;
export const nothingCharged = { charged_now_cents: 0, credited_cents: 0, ...unpaid } as const;

type Charging = { readonly from: Price; readonly to: Target; readonly at: Date };

/**
 * A change that is charged now, as Stripe previews it. The prorations count from `at`, so that a confirmed preview is charged
 * to the cent (https://docs.stripe.com/api/invoices/create_preview).
 *
 * @throws Problem `payment_processor_refused` without a card if the subscription was paid before, and with a bank debit;
 *   `subscription_not_managed` if it is free, without a card and with a discount, if its invoices are sent, or if the present
 *   period is not paid and its invoice not collected
 */
async function charged(billing: Billing, subscription: Stripe.Subscription, { from, to, at }: Charging) {
  const item = itemOf(subscription);
  // The clock of Stripe may be ahead of ours.
  const since = Math.max(Math.floor(at.getTime() / 1000), item.current_period_start);
  if (subscription.collection_method !== "charge_automatically") throw notManaged();
  if (isDebited(subscription) || (from.cents > 0 && !hasCard(subscription))) throw noCard();
  // Stripe would credit the rest of the period as if it had been paid.
  if (from.cents > 0 && isUncollected(subscription)) throw notManaged("The invoice of the present period is not paid");
  // The checkout that replaces a free subscription would not have its discounts.
  if (subscription.discounts.length > 0 && !hasCard(subscription)) throw notManaged();
  const is_reset = from.cents === 0 || from.interval !== to.interval;
  const invoice = await previewCharge(billing, subscription, { price_id: to.price_id, at: since, is_reset }).catch(
    (error: unknown) => {
      throw changeProblem(error);
    },
  );
  const period = invoice.lines.data.find(
    ({ parent }) => parent?.subscription_item_details?.proration === false,
  )?.period;
  const next_charge_at = isoOf(is_reset && period ? period.end : item.current_period_end);
  const left = discountsAt(next_charge_at);
  const isLeft: typeof left = (coupon, end) => left(coupon, end) && !(is_reset && coupon.duration === "once");
  const charge: ChangeIntent["charge"] = {
    at: since,
    cents: invoice.amount_due,
    credited_cents: creditOf(invoice),
    is_reset,
    is_first: from.cents === 0,
    from_price_id: item.price.id,
  };
  const outcome = {
    ...unpaid,
    when: "now" as const,
    charged_now_cents: charge.cents,
    credited_cents: charge.credited_cents,
    next_charge_cents: invoicedCents(withPrice(subscription, to), isLeft),
    next_charge_at,
  };
  return { outcome, charge };
}

/** What the invoice of a change credits for the rest of the present period, in US cents. */
export const creditOf = ({ lines }: Stripe.Invoice): number =>
  -lines.data.reduce((sum, { amount }) => sum + Math.min(0, amount), 0);

type Charge = Pick<NonNullable<ChangeIntent["charge"]>, "at" | "is_reset"> & Pick<ChangeIntent, "price_id">;

/** Stripe's preview of the invoice of a change that is charged now. */
export const previewCharge = (
  billing: Billing,
  subscription: Stripe.Subscription,
  { price_id, at, is_reset }: Charge,
): Promise<Stripe.Invoice> =>
  billing((stripe, options) =>
    stripe.invoices.createPreview(
      {
        subscription: subscription.id,
        subscription_details: {
          items: [{ id: itemOf(subscription).id, price: price_id, quantity: 1 }],
          proration_behavior: "always_invoice",
          proration_date: at,
          ...(is_reset && { billing_cycle_anchor: { type: "now" as const } }),
        },
      },
      options,
    ),
  );

/** A member who has paid before or has a free trial, and has no card now; or who pays by bank debit. */
export const noCard = (cause?: unknown): Problem =>
  new Problem("payment_processor_refused", {
    detail: "There is no card to charge: add one in the billing portal first",
    more: { processor_code: "resource_missing" },
    cause,
  });

/** The problem for an error of Stripe in response to a change. */
export function changeProblem(error: unknown): unknown {
  const problem = problemOf("change", error);
  return problem?.code === "unknown_tier" ? inactivePrice(error) : (problem ?? error);
}

const inactivePrice = (cause?: unknown): Problem =>
  unknownTier("must be a tier whose price and product are active in Stripe", cause);

/** @throws Problem for a state of the stored record that allows no change */
function assertMayChange(member: StoredMember, { status }: Parent): void {
  if (member.is_blocked) throw new Problem("member_blocked");
  if (status === "archived") throw new Problem("community_archived");
  assertStatus(member.status, isEnding(member));
}

/** @throws Problem `payment_overdue`, `cancel_scheduled`, `subscription_not_managed` */
export function assertStatus(status: string, ends: boolean): void {
  if (status === "past_due") throw new Problem("payment_overdue");
  if (status !== "active" && status !== "trialing") throw notManaged();
  if (ends) throw new Problem("cancel_scheduled");
}

const notManaged = (detail?: string) => new Problem("subscription_not_managed", { detail });

/**
 * The price of the only item of a subscription.
 *
 * @throws Problem `subscription_not_managed` if Odis cannot change the subscription, and the problems of its status
 */
function priceOf(subscription: Stripe.Subscription, { tiers }: Parent): Price {
  const { items, status, cancel_at, cancel_at_period_end } = subscription;
  assertStatus(status, cancel_at_period_end || cancel_at !== null);
  const [item, ...others] = items.data;
  const { price, quantity } = item ?? {};
  const { interval, interval_count } = price?.recurring ?? {};
  const known = intervals.find((name) => name === interval && interval_count === 1);
  const tier = tiers.find(({ id }) => String(id) === price?.metadata.tier_id);
  const isSingle = item !== undefined && others.length === 0 && quantity === 1 && item.discounts.length === 0;
  // A price in fractions of a cent, or in tiers, has no unit amount.
  const cents = price?.unit_amount ?? undefined;
  const isOurs = !hasForeignSchedule(subscription) && isCharged(subscription);
  if (!isSingle || cents === undefined || !tier || !known || !isOurs) throw notManaged();
  return { tier_id: tier.id, interval: known, cents };
}
