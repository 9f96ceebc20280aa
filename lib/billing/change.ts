import type Stripe from "stripe";
import {
  type ChangeOutcome,
  type ChangeRequest,
  type Interval,
  intervals,
  type Price,
  timingOf,
} from "../domain/change.ts";
import type { Operation } from "../domain/operation.ts";
import { newUuid } from "../ids.ts";
import { Problem } from "../problem.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { OpenCommunity } from "../store/open-community.ts";
import * as operations from "../store/operations.ts";
import { use } from "../store/tiers.ts";
import { hasForeignSchedule, readSubscription, refuseIfUndone, sendChange } from "./change-at-stripe.ts";
import { confirmedPreview, type Promised, signPreview } from "./change-preview.ts";
import { noYearlyPrice, unknownTier } from "./checkout.ts";
import type { BillingContext } from "./context.ts";
import { invoicedCents, isCharged } from "./monthly-amount.ts";
import { assertSameRequest, begin, linkOf, type OperationRequest, resume } from "./operations.ts";
import { discountsAt, withPrice } from "./renewal.ts";
import { isoOf } from "./snapshot.ts";
import { undefinedIfMissing } from "./stripe.ts";
import { syncMember } from "./sync.ts";

type Place = { readonly record: StoredMember; readonly parent: OpenCommunity };
type Changed = { readonly outcome: ChangeOutcome; readonly member: StoredMember };

const day = 24 * 60 * 60_000;
const mostChanges = 5;

/**
 * Changes the tier, the interval or both of a member's subscription, as the owner. Never charges anything: a change that
 * costs something now is made at the end of the period. It replaces a change that was scheduled before.
 *
 * @throws Problem `member_blocked`, `community_archived`, `payment_overdue`, `cancel_scheduled`,
 *   `subscription_not_managed`, `nothing_to_change`, `preview_expired`, `too_many_changes`, `unknown_tier`, and the
 *   problems of Stripe
 */
export async function change(
  context: BillingContext,
  place: Place,
  body: ChangeRequest,
  request: OperationRequest,
): Promise<Changed> {
  const { table, now } = context;
  const { record: member, parent } = place;
  const storedOperation = await operations.find(table, member.id, request.operationId);
  if (storedOperation) assertSameRequest(storedOperation, request);
  if (storedOperation?.state === "done") return { outcome: repeatedOutcome(member, storedOperation), member };
  if (storedOperation?.state === "open") return perform(context, member, storedOperation);
  const { subscription, promised } = await planned(context, place, body);
  if (storedOperation) {
    assertSamePlan(storedOperation, promised);
    return perform(context, member, await resume(context, storedOperation));
  }
  const { price_id, tier_id, interval, cents, ...outcome } = promised;
  if (body.dry_run) {
    const preview = { id: newUuid(table.runtime.random), now };
    const preview_id = signPreview(subscription.id, body, promised, preview);
    return { outcome: { status: "preview", ...outcome, preview_id }, member };
  }
  const { preview_id } = body;
  const preview =
    preview_id === undefined ? null : confirmedPreview(subscription.id, { ...body, preview_id }, promised, now);
  await assertFew(context, member, preview);
  const { when } = outcome;
  const plan = { when, price_id, tier_id, interval, cents, preview };
  const intent = { kind: "change", subscription_id: subscription.id, ...plan } as const;
  const tier = parent.tiers.find(({ id, in_use }) => id === tier_id && !in_use);
  const marks = tier ? [use(parent.id, tier_id)] : [];
  return perform(context, member, await begin(context, member, intent, request, marks));
}

async function perform(context: BillingContext, member: StoredMember, operation: Operation): Promise<Changed> {
  await sendChange(context, operation);
  const after = (await syncMember(context, linkOf(member))) ?? member;
  if (await refuseIfUndone(context, operation)) throw new Problem("outcome_unknown", { detail: undone });
  return { outcome: outcomeOf(after, operation), member: after };
}

const undone = "The change was made, but it was dropped in Stripe since";

/**
 * The outcome of an operation that is done, for a retry of its request.
 *
 * @throws Problem `cancel_scheduled` or `subscription_not_managed` if the subscription ends or has ended without the change
 */
function repeatedOutcome(member: StoredMember, operation: Operation): ChangeOutcome {
  const { intent } = operation;
  const isMade = intent.kind === "change" && intent.tier_id === member.tier_id && intent.interval === member.interval;
  if (!isMade) assertStatus(member.status === "past_due" ? "active" : member.status, isEnding(member));
  return outcomeOf(member, operation);
}

/** @throws Problem `preview_expired` if a change that was refused before would now be another one */
function assertSamePlan({ intent }: Operation, promised: Promised): void {
  const names = ["when", "price_id", "tier_id", "interval", "cents"] as const;
  if (intent.kind !== "change" || names.some((name) => intent[name] !== promised[name]))
    throw new Problem("preview_expired");
}

/** What an operation has come to. */
function outcomeOf({ price_cents, current_period_end }: StoredMember, { intent }: Operation): ChangeOutcome {
  const when = intent.kind === "change" ? intent.when : "now";
  return {
    ...nothingCharged,
    status: when === "now" ? "changed" : "scheduled",
    when,
    next_charge_cents: price_cents,
    next_charge_at: price_cents === null ? null : current_period_end,
    preview_id: null,
  };
}

const nothingCharged = { charged_now_cents: 0, credited_cents: 0 } as const;

/** The subscription at Stripe, and what the change would come to. */
async function planned({ billing }: BillingContext, { record: member, parent }: Place, body: ChangeRequest) {
  assertMayChange(member, parent);
  const id = member.stripe_subscription_id;
  const subscription = id === null ? undefined : await undefinedIfMissing(readSubscription(billing, id));
  if (!subscription) throw notManaged();
  const { item, from } = priceOf(subscription, parent);
  // The record may be older than the subscription.
  const { tier_id = from.tier_id, interval = from.interval } = body;
  const to = soldAs(parent, tier_id, interval);
  const when = timingOf(from, to, subscription.status === "trialing");
  const at = isoOf(item.current_period_end);
  const promised: Promised = {
    ...nothingCharged,
    when,
    next_charge_cents: invoicedCents(withPrice(subscription, to), discountsAt(at)),
    next_charge_at: at,
    ...to,
  };
  return { subscription, promised };
}

/** @throws Problem for a state of the stored record that allows no change */
function assertMayChange(member: StoredMember, { status }: OpenCommunity): void {
  if (member.is_blocked) throw new Problem("member_blocked");
  if (status === "archived") throw new Problem("community_archived");
  assertStatus(member.status, isEnding(member));
}

const isEnding = ({ cancel_at_period_end, cancel_at }: Pick<StoredMember, "cancel_at_period_end" | "cancel_at">) =>
  cancel_at_period_end || cancel_at !== null;

function assertStatus(status: string, ends: boolean): void {
  if (status === "past_due") throw new Problem("payment_overdue");
  if (status !== "active" && status !== "trialing") throw notManaged();
  if (ends) throw new Problem("cancel_scheduled");
}

const notManaged = () => new Problem("subscription_not_managed");

/** @throws Problem `unknown_tier`, `validation_failed` */
function soldAs({ tiers }: OpenCommunity, tierId: number, interval: Interval) {
  const tier = tiers.find(({ id, status }) => id === tierId && status === "active");
  if (!tier?.stripe_price_id) throw unknownTier("must be an active tier of the community");
  const { monthly_price_dollars: monthly, yearly_price_dollars: yearly, yearly_stripe_price_id } = tier;
  if (interval === "month")
    return { tier_id: tierId, interval, cents: Math.round(monthly * 100), price_id: tier.stripe_price_id };
  if (yearly === null || yearly_stripe_price_id === null) throw noYearlyPrice();
  return { tier_id: tierId, interval, cents: Math.round(yearly * 100), price_id: yearly_stripe_price_id };
}

/**
 * The only item of a subscription, and its price.
 *
 * @throws Problem `subscription_not_managed` if Odis cannot change the subscription, and the problems of its status
 */
function priceOf(subscription: Stripe.Subscription, { tiers }: OpenCommunity) {
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
  if (
    !isSingle ||
    cents === undefined ||
    !tier ||
    !known ||
    hasForeignSchedule(subscription) ||
    !isCharged(subscription)
  )
    throw notManaged();
  const from: Price = { tier_id: tier.id, interval: known, cents };
  return { item, from };
}

/**
 * @throws Problem `too_many_changes`, and `preview_expired` for a preview that was confirmed before
 */
async function assertFew({ table, now }: BillingContext, member: StoredMember, preview: string | null): Promise<void> {
  const { operations: all } = await operations.ledgerOf(table, member.id);
  const since = new Date(now.getTime() - day).toISOString();
  const changes = all.filter(({ intent, state }) => intent.kind === "change" && state !== "refused");
  const isUsed = changes.some(
    ({ intent }) => intent.kind === "change" && preview !== null && intent.preview === preview,
  );
  if (isUsed) throw new Problem("preview_expired");
  if (changes.filter(({ created_at }) => created_at > since).length >= mostChanges)
    throw new Problem("too_many_changes");
}

/**
 * Drops the scheduled change of a member's subscription.
 *
 * @throws Problem `not_found` if nothing is scheduled, and the problems of Stripe
 */
export async function dropChange(
  context: BillingContext,
  member: StoredMember,
  request: OperationRequest,
): Promise<StoredMember> {
  const { stripe_subscription_id: subscription_id, scheduled_change } = member;
  if (subscription_id === null || scheduled_change === null)
    throw new Problem("not_found", { detail: "No change is scheduled" });
  const operation = await begin(context, member, { kind: "unschedule", subscription_id }, request);
  await sendChange(context, operation);
  return (await syncMember(context, linkOf(member))) ?? member;
}
