import type { ChangeOutcome, OwnChangeRequest } from "../domain/change.ts";
import type { Operation } from "../domain/operation.ts";
import { newUuid } from "../ids.ts";
import { Problem, validationFailed } from "../problem.ts";
import type { StoredMember } from "../store/members/item.ts";
import { isEnding } from "../store/members/term.ts";
import * as operations from "../store/operations.ts";
import { use } from "../store/tiers.ts";
import { dropPending, refuseIfUndone, sendChange } from "./change-at-stripe.ts";
import {
  type Asker,
  assertSamePlan,
  assertStatus,
  changeProblem,
  creditOf,
  noCard,
  nothingCharged,
  type Place,
  type Plan,
  planChange,
  plannedAt,
  promisedBy,
} from "./change-plan.ts";
import { signPreview } from "./change-preview.ts";
import { type ChangeIntent, isChanged, readSubscription, waitsFor } from "./change-state.ts";
import type { BillingContext } from "./context.ts";
import { assertSameRequest, begin, linkOf, type OperationRequest, resume } from "./operations.ts";
import { expireReplacements, openReplacement } from "./replacement.ts";
import { isoOf } from "./snapshot.ts";
import { inProgress, recoveryFrom } from "./stripe.ts";
import { syncAfterChange } from "./sync.ts";

type Changed = { readonly outcome: ChangeOutcome; readonly member: StoredMember };

const day = 24 * 60 * 60_000;
const mostChanges = 5;

/**
 * Changes the tier, the interval or both of a member's subscription. An owner's change never charges anything now, a member's
 * own may. It replaces a change that was scheduled or waits for its payment.
 *
 * @throws Problem `member_blocked`, `community_archived`, `payment_overdue`, `cancel_scheduled`,
 *   `subscription_not_managed`, `nothing_to_change`, `preview_expired`, `too_many_changes`, `unknown_tier`, and the
 *   problems of Stripe
 */
export async function change(
  context: BillingContext,
  asker: Asker,
  place: Place,
  body: OwnChangeRequest,
  request: OperationRequest,
): Promise<Changed> {
  const { table, now } = context;
  const { record: member, parent } = place;
  const send = (operation: Operation) => perform(context, place, operation, body);
  const stored = await operations.find(table, member.id, request.operationId);
  if (stored) assertSameRequest(stored, request);
  if (stored?.state === "done") return { outcome: await repeatedOutcome(context, member, stored), member };
  if (stored?.state === "open") return send(stored);
  const plan = await planChange({ ...context, now: plannedAt(stored) ?? now }, asker, place, body);
  if (stored) {
    assertSamePlan(stored, plan, now);
    return send(await resume(context, stored));
  }
  const { subscription, preview, outcome } = plan;
  const promised = promisedBy(plan);
  if (body.dry_run) {
    const id = newUuid(table.runtime.random);
    const preview_id = signPreview(asker, subscription.id, body, { id, at: now.getTime(), promised });
    return { outcome: { status: "preview", ...outcome, preview_id }, member };
  }
  if (preview && preview.promised !== promised) throw new Problem("preview_expired");
  if (plan.charge?.is_first && body.return_url === undefined) throw noReturnUrl();
  await assertFew(context, member, preview?.id);
  await expireReplacements(context, member);
  const isLater = plan.charge !== null && subscription.pending_update !== null;
  const { when, price_id, tier_id, interval, cents, charge } = isLater
    ? await planWithoutPending(context, place, body, plan)
    : plan;
  const terms = { when, price_id, tier_id, interval, cents, charge, preview: preview?.id ?? null };
  const intent = { kind: "change", subscription_id: subscription.id, ...terms } as const;
  const tier = parent.tiers.find(({ id, in_use }) => id === tier_id && !in_use);
  const marks = tier ? [use(parent.id, tier_id)] : [];
  return send(await begin(context, member, intent, request, marks));
}

/**
 * Drops the change that waits for its payment, and plans the charge again: Stripe's preview counts the invoice and the credit
 * that the waiting change has used.
 *
 * @throws Problem `request_in_progress` if it was just paid, `preview_expired` if the charge is not the one that was previewed
 */
async function planWithoutPending(
  context: BillingContext,
  place: Place,
  body: OwnChangeRequest,
  { subscription, preview }: Plan,
): Promise<Plan> {
  if (!(await dropPending(context.billing, subscription))) throw inProgress();
  const plan = await planChange(context, "own", place, body);
  if (preview && preview.promised !== promisedBy(plan)) throw new Problem("preview_expired");
  return plan;
}

const noReturnUrl = (): Problem =>
  validationFailed([
    { pointer: "/return_url", code: "required", message: "is required for a change from a free tier to a paid one" },
  ]);

async function perform(
  context: BillingContext,
  place: Place,
  operation: Operation,
  body: OwnChangeRequest,
): Promise<Changed> {
  const { record: member } = place;
  try {
    await sendChange(context, operation);
  } catch (error) {
    if (recoveryFrom("change", error) !== "checkout") throw changeProblem(error);
    return { outcome: await checkOut(context, place, operation, body, error), member };
  }
  const after = (await syncAfterChange(context, linkOf(member))) ?? member;
  if (await refuseIfUndone(context, operation)) throw new Problem("outcome_unknown", { detail: undone });
  return { outcome: await outcomeOf(context, after, operation), member: after };
}

/**
 * Opens a checkout, where a member without a card pays for the first time.
 *
 * @throws Problem `payment_processor_refused` for a subscription that was paid before, `subscription_not_managed` for one
 *   with a discount, which a checkout would not have
 */
async function checkOut(
  context: BillingContext,
  place: Place,
  { id: operationId, intent }: Operation,
  { return_url }: OwnChangeRequest,
  refusal: unknown,
): Promise<ChangeOutcome> {
  if (intent.kind !== "change" || !intent.charge?.is_first || return_url === undefined) throw noCard(refusal);
  const { subscription_id: subscription, tier_id, interval, charge } = intent;
  const { discounts } = await readSubscription(context.billing, subscription);
  if (discounts.length > 0) throw new Problem("subscription_not_managed");
  const replaces = { subscription, operationId };
  const { url, expires_at } = await openReplacement(context, place, { tier_id, interval, return_url }, replaces);
  const { price_cents, current_period_end } = place.record;
  return {
    status: "payment_required",
    when: "now",
    charged_now_cents: charge.cents,
    credited_cents: charge.credited_cents,
    next_charge_cents: price_cents,
    next_charge_at: price_cents === null ? null : current_period_end,
    preview_id: null,
    url,
    expires_at,
  };
}

const undone = "The change was made, but it was dropped in Stripe since";

/**
 * The outcome of an operation that is done, for a retry of its request.
 *
 * @throws Problem `cancel_scheduled` or `subscription_not_managed` if the subscription ends or has ended without the change
 */
async function repeatedOutcome(context: BillingContext, member: StoredMember, operation: Operation) {
  const { intent } = operation;
  const isMade = intent.kind === "change" && intent.tier_id === member.tier_id && intent.interval === member.interval;
  if (!isMade) assertStatus(member.status === "past_due" ? "active" : member.status, isEnding(member));
  return outcomeOf(context, member, operation);
}

/** What an operation has come to. */
async function outcomeOf(
  context: BillingContext,
  { price_cents, current_period_end }: StoredMember,
  operation: Operation,
): Promise<ChangeOutcome> {
  const { intent } = operation;
  const { when, charge } = intent.kind === "change" ? intent : ({ when: "now", charge: null } as const);
  const next = { next_charge_cents: price_cents, next_charge_at: price_cents === null ? null : current_period_end };
  if (intent.kind !== "change" || !charge)
    return { ...nothingCharged, status: when === "now" ? "changed" : "scheduled", when, ...next, preview_id: null };
  const { cents, credited_cents } = charge;
  const paid = { when, charged_now_cents: cents, credited_cents, ...next, preview_id: null };
  return { ...paid, ...(await paymentOf(context, operation, intent)) };
}

/**
 * Whether a change was paid, or the page on which it can be paid.
 *
 * @throws Problem `preview_expired` if it was not paid in time
 */
async function paymentOf({ billing }: BillingContext, operation: Operation, intent: ChangeIntent) {
  const subscription = await readSubscription(billing, intent.subscription_id);
  const { pending_update: update, latest_invoice: invoice, metadata } = subscription;
  if (update && waitsFor(subscription, operation)) {
    const url = typeof invoice === "object" ? (invoice?.hosted_invoice_url ?? null) : null;
    return { status: "payment_required", url, expires_at: isoOf(update.expires_at) } as const;
  }
  if (!isChanged(subscription, { id: operation.id, intent }))
    throw new Problem("preview_expired", { detail: "The change was not paid in time" });
  const isLatest = !update && metadata.change_id === operation.id;
  // The subscription may have been changed in Stripe between the preview and the charge.
  const isCharged = isLatest && typeof invoice === "object" && invoice?.billing_reason === "subscription_update";
  const amounts = isCharged && { charged_now_cents: invoice.amount_due, credited_cents: creditOf(invoice) };
  return { status: "changed", url: null, expires_at: null, ...amounts } as const;
}

/** @throws Problem `too_many_changes`, and `preview_expired` for a preview that was confirmed before */
async function assertFew({ table, now }: BillingContext, member: StoredMember, preview?: string): Promise<void> {
  const { operations: all } = await operations.ledgerOf(table, member.id);
  const since = new Date(now.getTime() - day).toISOString();
  const changes = all.filter(({ intent, state }) => intent.kind === "change" && state !== "refused");
  const isUsed = changes.some(
    ({ intent }) => intent.kind === "change" && preview !== undefined && intent.preview === preview,
  );
  if (isUsed) throw new Problem("preview_expired");
  if (changes.some(({ state }) => state === "open")) throw inProgress();
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
  return (await syncAfterChange(context, linkOf(member))) ?? member;
}
