import type Stripe from "stripe";
import * as v from "valibot";
import { canonicalJson } from "../canonical-json.ts";
import { refundedByDay } from "../domain/figures.ts";
import { statuses } from "../domain/member-status.ts";
import type { Operation } from "../domain/operation.ts";
import { RefundEntry } from "../domain/refund-entry.ts";
import { timeOf } from "../ids.ts";
import { pick } from "../pick.ts";
import { type AuditEntry, byStripe, byUser } from "../store/activity.ts";
import { unedited } from "../store/members/editable.ts";
import type { StoredMember } from "../store/members/item.ts";
import { type Fact, type StripeOwned, stripeOwned } from "../store/members/sync.ts";
import type { Ledger, StoredRefund } from "../store/operations.ts";
import {
  addressOf,
  isLive,
  refundFacts,
  type Snapshot,
  statusOf,
  subscriptionPart,
  sumsOf,
  tierOf,
} from "./snapshot.ts";

/** How many refunds a member's record shows; the sums cover all. */
const shownRefunds = 100;

/** Begins the comment of a cancellation that Odis made because the subscription must not be. */
export const rejection = "Rejected by Odis: ";

type Choice = { readonly shown: Stripe.Subscription | undefined; readonly rejected: readonly Stripe.Subscription[] };

/** The member whose subscriptions are looked for, and the tiers of their community. */
type Place = { readonly memberId: number; readonly tierIds: ReadonlySet<number> };

/**
 * Which subscription a member's record follows, and which must be canceled: only one that our checkout made, and only
 * where it came to be while another was live, or while the person was blocked (`docs/api.md`, section 3, "Subscriptions
 * of a member" and "Automatic cancellations"). Whatever else the customer subscribes to is left alone.
 */
export function choose(
  before: StoredMember | undefined,
  { subscriptions }: Snapshot,
  { operations }: Ledger,
  place: Place,
): Choice {
  const known = new Set(operations.flatMap(({ intent }) => (intent.kind === "reject" ? [intent.subscription_id] : [])));
  const candidates = subscriptions
    .filter(({ id, cancellation_details }) => !known.has(id) && !cancellation_details?.comment?.startsWith(rejection))
    .toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
  const isCurrent = ({ id }: Stripe.Subscription) => id === before?.stripe_subscription_id;
  const own = candidates.filter((subscription) => isCurrent(subscription) || isFromCheckout(subscription, place));
  // An import may name the customer alone.
  const followed = own.length === 0 && before?.imported ? candidates : own;
  const live = followed.filter(isLive);
  const kept = live.find(isCurrent) ?? (before?.is_blocked ? undefined : live[0]);
  const rejected = live.filter((subscription) => subscription !== kept && isFromCheckout(subscription, place));
  return { shown: kept ?? followed.findLast((subscription) => !rejected.includes(subscription)), rejected };
}

/** Whether our checkout made a subscription for this member, on a price of this community. */
const isFromCheckout = ({ metadata, items }: Stripe.Subscription, { memberId, tierIds }: Place): boolean =>
  metadata.member_id === String(memberId) &&
  items.data.some(({ price }) => tierIds.has(Number(price.metadata.tier_id)));

/** The member as Stripe's word makes them; everything that people own stays as it is. */
export function memberAfter(
  before: StoredMember,
  shown: Stripe.Subscription | undefined,
  { customer, charges }: Snapshot,
  { refunds, tierIds, now }: { refunds: readonly StoredRefund[]; tierIds: ReadonlySet<number>; now: Date },
): StoredMember {
  const { paid_cents, refunded_cents } = sumsOf(charges);
  const tier = shown && tierOf(shown);
  const part = shown ? subscriptionPart(shown) : {};
  const newestFirst = refunds.toSorted(
    (a, b) => Date.parse(b.issued_at) - Date.parse(a.issued_at) || (a.refund_id < b.refund_id ? 1 : -1),
  );
  const after: StoredMember = {
    ...before,
    ...part,
    tier_id: tier !== undefined && tierIds.has(tier) ? tier : before.tier_id,
    shipping_address: customer ? addressOf(customer) : before.shipping_address,
    total_refunded_cents: refunded_cents,
    lifetime_spend_cents: paid_cents - refunded_cents,
    refunds: newestFirst.slice(0, shownRefunds).map((refund) => v.parse(RefundEntry, refund)),
    older_refunds_cents: refundedByDay(newestFirst.slice(shownRefunds)),
  };
  const { grantsAccess } = statuses[after.status];
  if (grantsAccess && !before.imported) after.first_granted_at ??= now.toISOString();
  const isChanged = canonicalJson(visible(after)) !== canonicalJson(visible(before));
  return isChanged ? { ...after, updated_at: now.toISOString(), version: before.version + 1 } : after;
}

/** What Stripe owns and no record shows: a change of it alone is no new version of the member. */
const hidden: ReadonlySet<string> = new Set<keyof StripeOwned>([
  "older_refunds_cents",
  "stripe_customer_id",
  "stripe_subscription_id",
  "first_granted_at",
]);

const visible = (member: StoredMember) => Object.entries(stripeOwned(member)).filter(([name]) => !hidden.has(name));

/** Every refund, with who issued it and why where it was ours; those that are new or changed apart. */
export function refundsAfter({ charges }: Snapshot, { operations, refunds: stored }: Ledger) {
  const known = new Map(stored.map((refund) => [refund.refund_id, refund]));
  const begun = new Map(operations.map((operation) => [operation.id, operation]));
  const all = charges.flatMap(({ charge, refunds }) =>
    refunds.map((refund): StoredRefund => {
      const facts = refundFacts(refund, charge);
      const ours = known.get(refund.id) ?? attributed(facts, begun.get(facts.operation_id ?? ""));
      return { ...facts, reason: ours.reason, note: ours.note, issued_by: ours.issued_by };
    }),
  );
  const changed = all.filter((refund) => known.get(refund.refund_id)?.status !== refund.status);
  return { all, changed, known };
}

/** A refund that is seen for the first time takes its reason, note and issuer from the operation that made it. */
function attributed(facts: StoredRefund, operation: Operation | undefined): StoredRefund {
  if (operation?.intent.kind !== "refund") return facts;
  const { reason, note } = operation.intent;
  return { ...facts, reason, note, issued_by: operation.actor_id };
}

/** The open operations whose effect Stripe shows. */
export function doneOperations({ operations }: Ledger, { subscriptions }: Snapshot, refunds: readonly StoredRefund[]) {
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
        const { cancel_at_period_end } = subscriptionPart(subscription);
        if (statusOf(subscription) === "canceled") return true;
        if (intent.kind === "uncancel") return !cancel_at_period_end;
        return intent.mode === "at_period_end" && cancel_at_period_end;
      }
      default:
        return intent satisfies never;
    }
  });
}

/** The refunds that are new or have changed, each with the audit entry of that. */
export const factsOf = ({ changed, known }: ReturnType<typeof refundsAfter>, done: readonly Operation[]): Fact[] =>
  changed.map((refund) => {
    const { refund_id, charge_id, amount_cents, status, reason, operation_id } = refund;
    const earlier = known.get(refund_id);
    const after = { refund_id, charge_id, amount_cents, status, reason };
    const operation = done.find(({ id }) => id === operation_id);
    const by = operation && !earlier ? actorOf(operation) : { actor: byStripe };
    const entry: AuditEntry = earlier
      ? { action: "refund_changed", before: { refund_id, status: earlier.status }, after, ...by }
      : { action: "refunded", after, ...by };
    return { refund, known: earlier, entry };
  });

/** The audit entries of what else has changed, each with whoever did it. */
export function auditEntriesOf(
  before: StoredMember | undefined,
  after: StoredMember,
  done: readonly Operation[],
): AuditEntry[] {
  if (!before) return [{ action: "joined", actor: byStripe, after: pick(after, ["status", "tier_id"]) }];
  const by = (kinds: Operation["intent"]["kind"][]): Pick<AuditEntry, "actor" | "request_id"> => {
    const operation = done.find(({ intent }) => kinds.includes(intent.kind));
    return operation ? actorOf(operation) : { actor: byStripe };
  };
  const changes: AuditEntry[] = [];
  const add = (action: AuditEntry["action"], kinds: Operation["intent"]["kind"][], names: (keyof StoredMember)[]) =>
    changes.push({ action, ...by(kinds), before: pick(before, names), after: pick(after, names) });
  if (after.status === "canceled" && before.status !== "canceled") add("canceled", ["cancel"], ["status", "ended_at"]);
  else {
    if (after.status !== before.status) add("status_changed", [], ["status"]);
    if (after.cancel_at_period_end && !before.cancel_at_period_end) add("cancel_scheduled", ["cancel"], ["cancel_at"]);
    if (!after.cancel_at_period_end && before.cancel_at_period_end) add("uncanceled", ["uncancel"], ["cancel_at"]);
  }
  if (after.tier_id !== before.tier_id) add("tier_changed", [], ["tier_id"]);
  return changes;
}

const actorOf = ({ actor_id, request_id }: Operation): Pick<AuditEntry, "actor" | "request_id"> => ({
  actor: actor_id === null ? { type: "system", id: null } : byUser(actor_id),
  request_id,
});

/** A person's first record: what Stripe owns comes on top of it. */
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
    ...subscriptionPart(shown),
    ...unedited,
    is_blocked: false,
    blocked_at: null,
    blocked_by: null,
    block_reason: null,
    total_refunded_cents: 0,
    lifetime_spend_cents: 0,
    refunds: [],
    older_refunds_cents: {},
    first_granted_at: null,
    sync_version: 1,
    version: 1,
    created_at: timeOf(link.member_id).toISOString(),
    updated_at: now.toISOString(),
  };
}
