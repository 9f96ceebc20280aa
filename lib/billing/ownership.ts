import type Stripe from "stripe";
import type { StoredSubscription } from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { Ledger } from "../store/operations.ts";
import { statuses } from "../values/member-status.ts";
import { isLive, tierOf } from "./snapshot.ts";

/** Begins the comment of a cancellation that Odis made because the subscription must not be. */
export const rejection = "Rejected by Odis: ";

/** The member whose subscriptions are looked for, and the tiers of their community. */
export type Place = { readonly memberId: number; readonly tierIds: ReadonlySet<number> };

/**
 * A member's subscriptions among those of their customer, oldest first (`docs/api.md`, section 3, "Subscriptions of a
 * member"): those that are known as theirs, and those that name them, on a price of their community.
 */
export function ownSubscriptions(
  before: StoredMember | undefined,
  subscriptions: readonly Stripe.Subscription[],
  ledger: Pick<Ledger, "subscriptions">,
  { memberId, tierIds }: Place,
): Stripe.Subscription[] {
  const known = new Set(ledger.subscriptions.map(({ subscription_id }) => subscription_id));
  if (before?.stripe_subscription_id) known.add(before.stripe_subscription_id);
  return subscriptions
    .filter(
      (subscription) =>
        known.has(subscription.id) ||
        (subscription.metadata.member_id === String(memberId) && tierOf(subscription, tierIds) !== undefined),
    )
    .toSorted((a, b) => a.created - b.created || endedFirst(a, b) || (a.id < b.id ? -1 : 1));
}

const endedFirst = (a: Stripe.Subscription, b: Stripe.Subscription): number =>
  Number(b.ended_at !== null) - Number(a.ended_at !== null);

type Choice = {
  readonly shown: Stripe.Subscription | undefined;
  readonly rejected: readonly Stripe.Subscription[];
  /** Those whose standing is new or has changed. */
  readonly standings: readonly StoredSubscription[];
};

/** As many subscriptions as are rejected at once, and as many as are noted: the next synchronization takes the others. */
const most = { rejected: 10, noted: 20 };

/**
 * Which subscription a member's record follows, and which must be canceled: only one of our checkout, and only where it
 * is first seen live while another is, while the person is blocked, or where its tier was archived before (`docs/api.md`,
 * section 3, "Automatic cancellations").
 *
 * @param isTooLate whether a subscription was made after its tier or community was archived
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
  const kept =
    current ?? accepted[0] ?? (before?.is_blocked ? undefined : live.find((one) => !isNew(one) || !isTooLate(one)));
  const unwanted = live.filter((subscription) => subscription !== kept && isNew(subscription));
  const rejected = unwanted.slice(0, most.rejected);
  const known = new Map(ledger.subscriptions.map((one) => [one.subscription_id, one.standing]));
  // One that was followed before it could be paid is followed to its end.
  const ended = own.find((one) => one.id === before?.stripe_subscription_id && !isLive(one));
  const standings = own
    .map((subscription): StoredSubscription => {
      const { id: subscription_id } = subscription;
      if (rejected.includes(subscription)) return { subscription_id, standing: "rejected" };
      const isAccepted = isLive(subscription) && !unwanted.includes(subscription);
      return { subscription_id, standing: isAccepted ? "accepted" : standing(subscription) };
    })
    .filter(({ subscription_id, standing: now }) => known.get(subscription_id) !== now)
    .toSorted((a, b) => Number(b.standing === "rejected") - Number(a.standing === "rejected"));
  return {
    shown: kept ?? candidates.findLast((subscription) => !unwanted.includes(subscription)) ?? ended,
    rejected,
    standings: standings.slice(0, most.noted),
  };
}

/** Whether our checkout made a subscription: nobody else's is ever canceled. */
const isFromCheckout = ({ metadata }: Stripe.Subscription): boolean =>
  metadata.member_id !== undefined && metadata.operation_id !== undefined;

/** The standing of each subscription before this synchronization. */
function standingOf(before: StoredMember | undefined, { subscriptions, operations }: Ledger) {
  const known = new Map(subscriptions.map((one) => [one.subscription_id, one.standing]));
  const begun = new Set(operations.flatMap(({ intent }) => (intent.kind === "reject" ? [intent.subscription_id] : [])));
  return ({ id, cancellation_details }: Stripe.Subscription): StoredSubscription["standing"] => {
    if (begun.has(id) || cancellation_details?.comment?.startsWith(rejection)) return "rejected";
    // Members who were stored before standings were noted have only the status of the one that they followed.
    const isFollowed = id === before?.stripe_subscription_id && statuses[before.status].isLive;
    return known.get(id) ?? (isFollowed ? "accepted" : "waiting");
  };
}
