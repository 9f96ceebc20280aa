import type Stripe from "stripe";
import type { StoredSubscription } from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { OpenCommunity } from "../store/open-community.ts";
import type { Ledger } from "../store/operations.ts";
import { statuses } from "../values/member-status.ts";
import { isLive, statusOf, tierOf } from "./snapshot.ts";

/** Prefix of the cancellation comment of a subscription that Odis rejected. */
export const rejectionPrefix = "Rejected by Odis: ";

/** The member whose subscriptions are selected, and the tiers of their community. */
export type SubscriptionScope = { readonly memberId: number; readonly tierIds: ReadonlySet<number> };

/**
 * Selects a member's subscriptions from those of their customer, oldest first (`docs/api.md`, section 3, "Subscriptions of a
 * member"): those that are stored as theirs, and those whose metadata names them, on a price of their community.
 */
export function ownSubscriptions(
  before: StoredMember | undefined,
  subscriptions: readonly Stripe.Subscription[],
  ledger: Pick<Ledger, "subscriptions">,
  { memberId, tierIds }: SubscriptionScope,
): Stripe.Subscription[] {
  const storedIds = new Set(ledger.subscriptions.map(({ subscription_id }) => subscription_id));
  if (before?.stripe_subscription_id) storedIds.add(before.stripe_subscription_id);
  return subscriptions
    .filter(
      (subscription) =>
        storedIds.has(subscription.id) ||
        (subscription.metadata.member_id === String(memberId) && tierOf(subscription, tierIds) !== undefined),
    )
    .toSorted((a, b) => a.created - b.created || endedFirst(a, b) || (a.id < b.id ? -1 : 1));
}

const endedFirst = (a: Stripe.Subscription, b: Stripe.Subscription): number =>
  Number(b.ended_at !== null) - Number(a.ended_at !== null);

export type Choice = {
  /** The subscription that the member's record shows. */
  readonly shown: Stripe.Subscription | undefined;
  /** Subscriptions that must be canceled and refunded. */
  readonly rejected: readonly Stripe.Subscription[];
  /** Free subscriptions that the shown one replaces. They must be canceled, without a refund. */
  readonly replaced: readonly Stripe.Subscription[];
  /** New and changed standings. */
  readonly standings: readonly StoredSubscription[];
};

/** Maximum number of rejections and of stored standings per synchronization. The next synchronization handles the rest. */
const limits = { rejections: 10, standings: 20 };

/**
 * Chooses the subscription that a member's record shows, and those to reject. Only subscriptions of our checkout are
 * rejected, and only if they first become live while another subscription is live, while the person is blocked, or after the
 * tier was archived (`docs/api.md`, section 3, "Automatic cancellations"). One that was paid to replace the free subscription
 * of a member takes its place.
 *
 * @param isTooLate whether a subscription was created after its tier or community was archived
 */
export function choose(
  before: StoredMember | undefined,
  own: readonly Stripe.Subscription[],
  ledger: Ledger,
  isTooLate: (subscription: Stripe.Subscription) => boolean,
): Choice {
  const standing = standingOf(before, ledger);
  const candidates = own.filter((subscription) => standing(subscription) !== "rejected");
  const live = candidates.filter(isLive);
  const isNew = (subscription: Stripe.Subscription) =>
    standing(subscription) === "waiting" && isFromCheckout(subscription);
  const accepted = live.filter((subscription) => !isNew(subscription));
  const current = accepted.find(({ id }) => id === before?.stripe_subscription_id);
  const isAllowed = (candidate: Stripe.Subscription) =>
    !before?.is_blocked && !(isNew(candidate) && isTooLate(candidate));
  const replacements = live.filter(
    (candidate) => current && replaces(candidate, current) && (!isNew(candidate) || isAllowed(candidate)),
  );
  const kept = replacements.find(grantsAccess) ?? replacements[0] ?? current ?? accepted[0] ?? live.find(isAllowed);
  // A free subscription remains the shown one while nothing is paid for the one that replaces it.
  const fallback =
    kept && !grantsAccess(kept) ? accepted.find((free) => grantsAccess(free) && replaces(kept, free)) : undefined;
  const unwanted = live.filter((subscription) => subscription !== kept && isNew(subscription));
  const rejected = unwanted.slice(0, limits.rejections);
  const storedStandings = standingsOf(ledger);
  // A subscription that the record showed before its first payment remains the shown one until it ends.
  const ended = own.find((subscription) => subscription.id === before?.stripe_subscription_id && !isLive(subscription));
  const standings = own
    .map((subscription): StoredSubscription => {
      const { id: subscription_id } = subscription;
      if (rejected.includes(subscription)) return { subscription_id, standing: "rejected" };
      const isAccepted = isLive(subscription) && !unwanted.includes(subscription);
      return { subscription_id, standing: isAccepted ? "accepted" : standing(subscription) };
    })
    .filter(({ subscription_id, standing: now }) => storedStandings.get(subscription_id) !== now)
    .toSorted((a, b) => Number(b.standing === "rejected") - Number(a.standing === "rejected"));
  return {
    shown: fallback ?? kept ?? candidates.findLast((subscription) => !unwanted.includes(subscription)) ?? ended,
    rejected,
    replaced: live.filter(
      (subscription) => kept && kept !== subscription && subscription !== fallback && replaces(kept, subscription),
    ),
    standings: standings.slice(0, limits.standings),
  };
}

const grantsAccess = (subscription: Stripe.Subscription): boolean => statuses[statusOf(subscription)].grantsAccess;

/** Whether a subscription was started to replace another one, which is still free. */
const replaces = ({ metadata }: Stripe.Subscription, { id, items }: Stripe.Subscription): boolean =>
  metadata.replaces === id && items.data.every(({ price }) => price.unit_amount === 0);

/** Whether our checkout created a subscription. Odis never rejects any other. */
const isFromCheckout = ({ metadata }: Stripe.Subscription): boolean =>
  metadata.member_id !== undefined && metadata.operation_id !== undefined;

const standingsOf = ({ subscriptions }: Ledger) =>
  new Map(subscriptions.map(({ subscription_id, standing }) => [subscription_id, standing]));

/** Returns a function that looks up the standing of a subscription before this synchronization. */
function standingOf(before: StoredMember | undefined, ledger: Ledger) {
  const storedStandings = standingsOf(ledger);
  const rejectedIds = new Set(
    ledger.operations.flatMap(({ intent }) => (intent.kind === "reject" ? [intent.subscription_id] : [])),
  );
  return ({ id, status, cancellation_details }: Stripe.Subscription): StoredSubscription["standing"] => {
    if (rejectedIds.has(id)) return "rejected";
    // Members stored before standings existed have only the status of their current subscription.
    const isFollowed = id === before?.stripe_subscription_id && statuses[before.status].isLive;
    const stored = storedStandings.get(id) ?? (isFollowed ? "accepted" : "waiting");
    // A restore may have lost the standing. A member can write the same comment when they cancel.
    const isRejected = status === "canceled" && cancellation_details?.comment?.startsWith(rejectionPrefix);
    return stored === "waiting" && isRejected ? "rejected" : stored;
  };
}

/**
 * Whether a subscription was created after its tier or community was archived. If the tier or community was edited
 * after it was archived, the result may be false, in favor of the person who paid.
 */
export function isCreatedTooLate(
  { metadata, created }: Stripe.Subscription,
  { status, updated_at, tiers }: OpenCommunity,
): boolean {
  const tier = tiers.find(({ id }) => String(id) === metadata.tier_id);
  const archived = [...(tier?.status === "archived" ? [tier] : []), ...(status === "archived" ? [{ updated_at }] : [])];
  return archived.some((record) => created * 1000 > Date.parse(record.updated_at));
}
