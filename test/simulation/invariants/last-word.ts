import { kindOf } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import type { Attempt } from "../world/answers.ts";
import { subscriptionsOf } from "../world/dashboard.ts";
import { membersOf } from "../world/records.ts";
import { isOk, mayHaveActed } from "../world/requests.ts";
import type { World } from "../world/world.ts";

/** What somebody has said about a subscription: that it ends with its period, or that it goes on. */
type Word = {
  readonly isEnding: boolean;
  /** Between these times it took effect, if it did. */
  readonly from: number;
  readonly to: number;
  readonly isAnswered: boolean;
  readonly isAtStripe?: boolean;
  /** Whether it ends at a later time than the end of its period. */
  readonly isLater?: boolean;
};

/** Calls whose response is late may take effect for so long after the request, in milliseconds. */
const late = 10_000;
/** An idempotency key that is reused after this time is that of another request, in milliseconds. */
const keyLifetime = 23 * 3_600_000;

/**
 * A subscription ends with its period, or goes on, as the last answer said: a cancellation or withdrawal that was interrupted has
 * no effect once another one was answered.
 */
export function assertLastWord(world: World): void {
  const subscriptions = new Map(subscriptionsOf(world).map((one) => [one.id, one]));
  const since = followedSince(world);
  for (const member of membersOf(world)) {
    const { id, stripe_subscription_id, erased_at } = member;
    const subscription = subscriptions.get(stripe_subscription_id ?? "");
    if (!subscription || erased_at !== undefined || world.changedElsewhere.has(subscription.id)) continue;
    if (["canceled", "incomplete_expired"].includes(subscription.status)) continue;
    const begun = since.get(`${id} ${subscription.id}`) ?? Number.POSITIVE_INFINITY;
    const words = [
      // What was said while the subscription was new may have been about the one before it.
      ...wordsOf(world, member)
        .filter(({ to }) => to > begun)
        .map((word) => ({ ...word, isAnswered: word.isAnswered && word.from > begun })),
      ...world.saidAtStripe
        .filter((one) => one.subscription === subscription.id)
        .map(({ at, ...word }): Word => ({ ...word, from: at, to: at, isAnswered: true, isAtStripe: true })),
    ];
    const { cancel_at, cancel_at_period_end, items } = subscription;
    const isEnding = cancel_at_period_end || cancel_at !== null;
    const isLater = !cancel_at_period_end && (cancel_at ?? 0) > (items.data[0]?.current_period_end ?? 0);
    if (!words.some(({ isAnswered }) => isAnswered)) continue;
    const last = words.filter((word) => !words.some((other) => isAfter(other, word)));
    if (!last.some((word) => word.isEnding === isEnding && (!isLater || word.isLater)))
      world.violate(
        "last word",
        `${subscription.id} of member ${id} ${isLater ? "ends later" : isEnding ? "ends" : "goes on"}, although the last word was the opposite`,
      );
  }
}

/**
 * Whether a word took effect after another one and replaced it. The schedule completes what was interrupted, also after a person
 * at Stripe has said something.
 */
function isAfter(later: Word, { to, isAnswered }: Word): boolean {
  if (!later.isAnswered) return false;
  return isAnswered ? later.from > to : !later.isAtStripe && later.from > to + late;
}

/** The words about a member in requests. Attempts with one key are one word. */
function wordsOf(world: World, { id, community_id, user }: StoredMember): Word[] {
  const attempts = world.answers.attempts.filter(
    ({ name, call: { as, params } }) =>
      /\/(un)?cancel_subscription$/.test(name) &&
      params?.community_id === community_id &&
      (name.includes("/membership/") ? as?.id === user.id : params.id === id),
  );
  const requests = Map.groupBy(attempts, ({ name, call, outcome }) => call.key ?? `${name} ${outcome.from}`);
  return [...requests.values()].flatMap((all) => {
    const [first] = all;
    if (!first) return [];
    const acted = all.filter(({ outcome }) => mayHaveActed(outcome));
    const answer = acted.find(({ outcome }) => isOk(outcome));
    const { from } = first.outcome;
    const lastTo = Math.max(...all.map(({ outcome }) => outcome.to));
    const isReused = lastTo - from > keyLifetime;
    const isAnswered = answer !== undefined && !isReused;
    const to = isAnswered ? answer.outcome.to : lastTo;
    return [
      ...(acted.length > 0 ? [{ isEnding: isEndingBy(first), from, to, isAnswered }] : []),
      ...all.filter(isDenied).map(({ outcome }) => ({
        isEnding: false,
        from: outcome.from,
        to: outcome.to,
        isAnswered: true,
      })),
    ];
  });
}

const isEndingBy = ({ name }: Attempt): boolean => !name.endsWith("/uncancel_subscription");

/** Whether the response said that the subscription goes on already. */
const isDenied = ({ outcome }: Attempt): boolean => outcome.body.code === "not_scheduled_to_cancel";

/** Since when a member's record has followed a subscription, by the ids of both. */
function followedSince(world: World): Map<string, number> {
  const since = new Map<string, number>();
  for (const { at, record } of world.changes) {
    const { Keys, OldImage, NewImage } = record.dynamodb;
    const subscription = NewImage?.stripe_subscription_id?.S;
    if (subscription === undefined || subscription === OldImage?.stripe_subscription_id?.S) continue;
    if (kindOf({ pk: Keys.pk?.S ?? "", sk: Keys.sk?.S ?? "" }) !== "member") continue;
    since.set(`${NewImage?.id?.N} ${subscription}`, at);
  }
  return since;
}
