import type Stripe from "stripe";
import * as v from "valibot";
import { canonicalJson } from "../canonical-json.ts";
import { refundedByDay } from "../domain/figures.ts";
import type { Operation } from "../domain/operation.ts";
import { isOtherInterval, isScheduled, isTakenBack } from "../domain/scheduled-change.ts";
import { trialAnnouncementAt } from "../domain/trial.ts";
import { shownIn, valuesBefore } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { RefundEntry } from "../fields/refund.ts";
import { timeOf } from "../ids.ts";
import { pick } from "../pick.ts";
import { type AuditEntry, byActor, byStripe } from "../store/activity.ts";
import type { Payment, StoredDispute, StoredRefund } from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import { stripeOwned } from "../store/members/sync.ts";
import { type Ledger, withOperations } from "../store/operations.ts";
import type { Reader } from "../store/table.ts";
import { statuses } from "../values/member-status.ts";
import { endsWithPeriod, isChanged, isEnding } from "./change-state.ts";
import { disputedByDay } from "./disputes.ts";
import { monthlyCents } from "./monthly-amount.ts";
import { paidByDay, sumsOf } from "./payments.ts";
import { notRenewed, renewalOf, type SoldTier } from "./renewal.ts";
import { addressOf, isPauseWanted, type Snapshot, statusOf, subscriptionFields, tierOf } from "./snapshot.ts";

/** Maximum number of refunds in a member's record. The sums include all refunds. */
const shownRefunds = 100;

/** All payments, refunds and disputes of a member, past ones included, and the tiers of their community. */
type DerivationInput = {
  readonly payments: readonly Payment[];
  readonly refunds: readonly StoredRefund[];
  readonly disputes: readonly StoredDispute[];
  readonly tiers: readonly SoldTier[];
  readonly now: Date;
};

const noOpening = { lifetime_spend_cents: 0, total_refunded_cents: 0 };

/**
 * The member's record after a synchronization. Changes only the fields that Stripe owns and those derived from them. Keeps
 * `version` and `sync_version` of `before`: the write increments them.
 */
export function memberAfter(
  before: StoredMember,
  shown: Stripe.Subscription | undefined,
  customer: Stripe.Customer | undefined,
  { payments, refunds, disputes, tiers, now }: DerivationInput,
): StoredMember {
  const { paid_cents, refunded_cents } = sumsOf(payments, refunds);
  const { opening = noOpening } = before;
  const tier_id = (shown && tierOf(shown, new Set(tiers.map(({ id }) => id)))) ?? before.tier_id;
  // The record of an erased person follows only the subscription that it already shows, or another one that has ended.
  const isFollowed =
    before.erased_at === undefined ||
    (shown && (shown.id === before.stripe_subscription_id || statusOf(shown) === "canceled"));
  const followed = isFollowed ? shown : undefined;
  const part = followed ? { ...subscriptionFields(followed), ...renewalOf(followed, tiers, before) } : notRenewed;
  const newestFirst = refunds.toSorted(
    (a, b) => Date.parse(b.issued_at) - Date.parse(a.issued_at) || (a.refund_id < b.refund_id ? 1 : -1),
  );
  const after: StoredMember = {
    ...before,
    ...part,
    monthly_cents: followed ? monthlyCents(followed, now) : 0,
    paid_cents_by_day: paidByDay(payments),
    disputed_cents_by_day: disputedByDay(disputes),
    tier_id,
    requires_shipping_address: tiers.find(({ id }) => id === tier_id)?.requires_shipping_address ?? false,
    ...addressAfter(before, customer),
    total_refunded_cents: opening.total_refunded_cents + refunded_cents,
    lifetime_spend_cents: opening.lifetime_spend_cents + paid_cents - refunded_cents,
    refunds: newestFirst.slice(0, shownRefunds).map((refund) => v.parse(RefundEntry, refund)),
    older_refunds_cents: refundedByDay(newestFirst.slice(shownRefunds)),
  };
  const isPaused = followed !== undefined && isPauseWanted(followed);
  if (isPaused !== (before.is_paused ?? false)) after.is_paused = isPaused;
  if (before.monthly_cents > 0) after.first_paying_at ??= before.updated_at;
  if (after.monthly_cents > 0) after.first_paying_at ??= now.toISOString();
  // Imported members never count as new members, not even if they join again.
  const { grantsAccess } = statuses[after.status];
  if (grantsAccess && !before.imported) after.first_granted_at ??= now.toISOString();
  const announcedFrom = trialAnnouncementAt(after);
  if (announcedFrom !== undefined && announcedFrom <= now.toISOString() && after.trial_start !== null)
    after.trial_announced = after.trial_start;
  const differs = canonicalJson(visible(after)) !== canonicalJson(visible(before));
  return differs ? { ...after, updated_at: now.toISOString() } : after;
}

/**
 * The address of the customer. An imported address is kept until the customer has one: Stripe may never have had it, as the
 * customer of another system, or may have refused it.
 */
function addressAfter(
  before: StoredMember,
  customer: Stripe.Customer | undefined,
): Pick<StoredMember, "shipping_address" | "is_address_imported"> {
  const { shipping_address, erased_at, imported, sync_version } = before;
  if (!customer || erased_at !== undefined) return { shipping_address };
  const address = addressOf(customer);
  // Imports of earlier versions have not set the mark.
  const { is_address_imported: isImported = imported !== undefined && sync_version === 0 } = before;
  if (isImported && address === null) return { shipping_address, is_address_imported: true };
  return { shipping_address: address, ...(before.is_address_imported && { is_address_imported: false }) };
}

/** The fields that the API or events show. Only a change of one of these fields makes a new version of the member. */
const shownNames: ReadonlySet<string> = new Set(shownIn(memberFields, "api", "metadata", "event"));

const visible = (member: StoredMember) => Object.entries(stripeOwned(member)).filter(([name]) => shownNames.has(name));

/** The open operations whose effect is visible at Stripe. */
export function doneOperations(
  { operations }: Ledger,
  { subscriptions }: Pick<Snapshot, "subscriptions">,
  refunds: readonly StoredRefund[],
) {
  return operations.filter(({ id, intent, state }) => {
    if (state !== "open") return false;
    switch (intent.kind) {
      case "refund":
        return refunds.some(({ operation_id }) => operation_id === id);
      case "reject":
        return false;
      case "cancel":
      case "uncancel": {
        const subscription = subscriptions.find((candidate) => candidate.id === intent.subscription_id);
        if (!subscription) return true;
        if (statusOf(subscription) === "canceled") return true;
        if (intent.kind === "uncancel") return !isEnding(subscription);
        // A change that waits for its payment is dropped last.
        return intent.mode === "at_period_end" && endsWithPeriod(subscription) && !subscription.pending_update;
      }
      case "change":
        return isChanged(
          subscriptions.find(({ id: own }) => own === intent.subscription_id),
          { id, intent },
        );
      case "unschedule": {
        // The schedule of a subscription that ended stays, and plans nothing.
        const subscription = subscriptions.find(({ id: own }) => own === intent.subscription_id);
        return !subscription?.schedule || statusOf(subscription) === "canceled";
      }
      default:
        return intent satisfies never;
    }
  });
}

/** Whether an end was scheduled, or a later end moved to the end of the period. The end also moves with the period. */
const isEndScheduled = (before: StoredMember, after: StoredMember): boolean =>
  after.cancel_at !== null &&
  after.cancel_at !== before.cancel_at &&
  (before.cancel_at === null || (after.cancel_at_period_end && !before.cancel_at_period_end));

/** The audit entries of changes of status, tier and scheduled end, each with its actor. */
export function auditEntriesOf(
  before: StoredMember | undefined,
  after: StoredMember,
  done: readonly Operation[],
): AuditEntry[] {
  if (!before) return [{ action: "joined", actor: byStripe, after: pick(after, ["status", "tier_id"]) }];
  const changes: AuditEntry[] = [];
  const add = (action: AuditEntry["action"], kinds: Operation["intent"]["kind"][], names: (keyof StoredMember)[]) => {
    const operation = done.find(({ intent }) => kinds.includes(intent.kind));
    const by = operation ? actorOf(operation) : { actor: byStripe };
    const { dropped_prices } = operation ?? {};
    const state = { ...pick(after, names), ...(dropped_prices && { dropped_prices }) };
    changes.push({ action, ...by, before: pick(before, names), after: state });
  };
  if (after.status === "canceled" && before.status !== "canceled") add("canceled", ["cancel"], ["status", "ended_at"]);
  else {
    if (after.status !== before.status) add("status_changed", [], ["status"]);
    if (isEndScheduled(before, after)) add("cancel_scheduled", ["cancel"], ["cancel_at"]);
    if (after.cancel_at === null && before.cancel_at !== null) add("uncanceled", ["uncancel"], ["cancel_at"]);
  }
  if (after.tier_id !== before.tier_id) add("tier_changed", ["change"], ["tier_id"]);
  if (isOtherInterval(before, after)) add("interval_changed", ["change"], ["interval"]);
  if (isScheduled(before, after)) add("change_scheduled", ["change"], ["scheduled_change"]);
  if (isTakenBack(before, after)) add("change_canceled", ["unschedule", "change", "cancel"], ["scheduled_change"]);
  return changes;
}

export const actorOf = ({ actor_id, api_key_id, request_id }: Operation): Pick<AuditEntry, "actor" | "request_id"> => ({
  actor: byActor({ id: actor_id, apiKeyId: api_key_id }),
  request_id,
});

/** The first record of a member, without payments and refunds. */
export function newMember(
  link: { community_id: number; member_id: number; customer_id: string },
  user: StoredMember["user"],
  shown: Stripe.Subscription,
  tier_id: number,
  now: Date,
): StoredMember {
  return {
    id: link.member_id,
    community_id: link.community_id,
    stripe_customer_id: link.customer_id,
    user,
    tier_id,
    ...valuesBefore(memberFields),
    ...subscriptionFields(shown),
    is_blocked: false,
    blocked_at: null,
    blocked_by: null,
    block_reason: null,
    total_refunded_cents: 0,
    lifetime_spend_cents: 0,
    refunds: [],
    first_granted_at: null,
    recorded_since: now.toISOString(),
    sync_version: 1,
    version: 1,
    created_at: timeOf(link.member_id).toISOString(),
    updated_at: now.toISOString(),
  };
}

/** Adds to the ledger the operations of new refunds at Stripe, which may have begun after the ledger was read. */
export function withNewOperations(
  table: Reader,
  memberId: number,
  ledger: Ledger,
  { charges }: Snapshot,
): Promise<Ledger> {
  const storedIds = new Set(ledger.refunds.map(({ refund_id }) => refund_id));
  const newRefunds = charges.flatMap(({ refunds }) => refunds).filter(({ id }) => !storedIds.has(id));
  const ids = newRefunds.flatMap(({ metadata }) => metadata?.operation_id ?? []);
  return withOperations(table, memberId, ledger, ids);
}
