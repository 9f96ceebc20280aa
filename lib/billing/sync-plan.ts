import type Stripe from "stripe";
import { measure } from "../log.ts";
import { open } from "../store/communities.ts";
import * as customers from "../store/customers.ts";
import { type Payment, putSubscription, withoutCard } from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { Link, Sync } from "../store/members/sync.ts";
import type { OpenCommunity } from "../store/open-community.ts";
import { beginOperation, type Ledger, withOperations } from "../store/operations.ts";
import type { Reader } from "../store/table.ts";
import { use } from "../store/tiers.ts";
import * as users from "../store/users.ts";
import { timeOver } from "../store/write.ts";
import type { BillingContext } from "./context.ts";
import { chargesById, snapshotOfDeleted } from "./deleted-customer.ts";
import { auditEntriesOf, doneOperations, memberAfter, newMember } from "./derive.ts";
import { paymentWrites, refundsAfter, refundWrites, toldSince } from "./facts.ts";
import { measureForeign } from "./foreign.ts";
import { choose, ownSubscriptions } from "./ownership.ts";
import { paymentsOf, snapshotOf } from "./payments.ts";
import { isRejection, type Rejection, rejectionOf } from "./rejections.ts";
import { isLive, type Snapshot, tierOf } from "./snapshot.ts";

/** What a synchronization is done for. */
export type Cause = {
  /** The id of an event of Stripe's. */
  readonly id?: string;
  /** The charge that it is about, where that is of a customer who was deleted at Stripe and replaced by another. */
  readonly formerCharge?: string | undefined;
};

/** What we hold of a member. It is read before Stripe is asked, as only over this state Stripe's word is newer. */
export type Copy = { readonly member: StoredMember | undefined; readonly ledger: Ledger };

type Plan = {
  /** What to write; undefined where there is nothing to make a record of. */
  readonly sync: Sync | undefined;
  /** Subscriptions that must be canceled and refunded now. */
  readonly rejections: readonly Rejection[];
  readonly at: Date;
};

/**
 * What Stripe's word changes in our copy of a customer.
 *
 * @returns undefined where there is nothing to write: the customer was replaced by another, or has no subscription. Someone
 *   whose only subscriptions are rejected gets no record
 */
export async function planSync(
  context: BillingContext,
  link: Link,
  copy: Copy,
  cause: Cause | undefined,
): Promise<Plan | undefined> {
  const sources = await readSources(context, link, copy, cause);
  if (!sources) return undefined;
  const { now } = sources;
  if (!sources.snapshot) {
    const sync = copy.member && closeOperations(copy.member, copy.ledger, cause);
    return sync && { sync, rejections: [], at: now };
  }
  const ledger = await withBegunSince(context.table, link.member_id, copy.ledger, sources.snapshot);
  const state: State = { ...sources, link, before: copy.member, ledger, snapshot: sources.snapshot };

  const subscriptions = subscriptionsOf(state);
  const money = moneyOf(state, subscriptions.own);
  measureForeign(state.snapshot, subscriptions.own, subscriptions.shown);
  const rejections = subscriptions.rejected.map((one) => rejectionOf(link, one, state.snapshot, now));
  // Nothing can come any more of what was asked for a deleted customer.
  const unfinished = state.isListed ? openOperations(ledger).filter(isRejection) : [];
  const due = [...unfinished, ...rejections];
  const start = startOf(state, subscriptions);
  if (!start) return due.length === 0 ? undefined : { sync: undefined, rejections: due, at: now };
  const since = toldSince(copy.member, copy.ledger);
  return {
    sync: { ...writesOf(state, { start, subscriptions, money, rejections, since }), eventId: cause?.id },
    rejections: due,
    at: now,
  };
}

/** What a synchronization reads beside the copy. */
type Sources = {
  /** What Stripe knows of the customer, or what is left of it after a deletion; undefined if nothing is. */
  readonly snapshot: Snapshot | undefined;
  /** Whether Stripe still lists the customer. */
  readonly isListed: boolean;
  readonly community: OpenCommunity;
  readonly tierIds: ReadonlySet<number>;
  /** The person, where they are no member yet. */
  readonly user: users.User | undefined;
  readonly now: Date;
};

type State = Sources & {
  readonly link: Link;
  readonly before: StoredMember | undefined;
  readonly snapshot: Snapshot;
  readonly ledger: Ledger;
};

/** @returns undefined if another customer has taken the place of this one */
async function readSources(
  { table, billing, now: begunAt }: BillingContext,
  link: Link,
  { member: before, ledger }: Copy,
  cause: Cause | undefined,
): Promise<Sources | undefined> {
  const [listed, current, community, user, former] = await Promise.all([
    snapshotOf(billing, link.customer_id),
    customers.find(table, link.user_id, link.community_id),
    open(table, link.community_id),
    before ? undefined : users.find(table, link.user_id),
    cause?.formerCharge === undefined ? [] : chargesById(billing, [cause.formerCharge]),
  ]);
  const now = timeOver(before, begunAt, table.runtime.now());
  if (current && current.customer_id !== link.customer_id) return undefined;
  const readable = listed ?? (await snapshotOfDeleted(billing, link, before, ledger));
  return {
    snapshot: readable && { ...readable, charges: [...readable.charges, ...former] },
    isListed: listed !== undefined,
    community,
    tierIds: new Set(community.tiers.map(({ id }) => id)),
    user,
    now,
  };
}

const openOperations = ({ operations }: Ledger) => operations.filter(({ state }) => state === "open");

/** Nothing can come any more of what was asked for a customer of whom nothing is left. What we know of the member stays. */
const closeOperations = (member: StoredMember, ledger: Ledger, cause: Cause | undefined): Sync => ({
  before: member,
  after: member,
  facts: [],
  done: openOperations(ledger),
  begun: [],
  auditEntries: [],
  eventId: cause?.id,
});

const isErased = ({ before, user }: State): boolean => (before ?? user)?.erased_at !== undefined;

/** The customer's subscriptions that are the member's: the one to show, those to reject, and how each stands. */
function subscriptionsOf(state: State) {
  const { before, snapshot, ledger, link, tierIds, community } = state;
  const own = ownSubscriptions(before, snapshot.subscriptions, ledger, { memberId: link.member_id, tierIds });
  const isTooLate = (one: Stripe.Subscription) => isErased(state) || isMadeTooLate(one, community);
  return { own, ...choose(before, own, ledger, isTooLate) };
}

type Subscriptions = ReturnType<typeof subscriptionsOf>;

/** The payments of these subscriptions, and their charges as Stripe shows them. */
function moneyOf(state: State, own: Subscriptions["own"]) {
  const { snapshot, ledger } = state;
  const all = paymentsOf(snapshot, ledger, own);
  const payments = isErased(state) ? all.map(withoutCard) : all;
  return { payments, charges: snapshot.charges.filter(({ charge }) => isOfOne(payments, charge.id)) };
}

/**
 * The member whom Stripe's word changes: the one in our copy, or a new one for a subscription that is to be shown. Who was
 * imported becomes a customer only when they check out.
 */
function startOf(state: State, { shown }: Pick<Subscriptions, "shown">): StoredMember | undefined {
  const { before, link, tierIds, user, now } = state;
  if (before) return { ...before, stripe_customer_id: link.customer_id };
  const tierId = shown && tierOf(shown, tierIds);
  if (!shown || !user || isErased(state) || tierId === undefined) return undefined;
  return newMember(link, user, shown, tierId, now);
}

type Derived = {
  readonly start: StoredMember;
  readonly subscriptions: Subscriptions;
  readonly money: ReturnType<typeof moneyOf>;
  readonly rejections: readonly Rejection[];
  readonly since: ReturnType<typeof toldSince>;
};

/** All that the synchronization writes in one go. */
function writesOf(state: State, { start, subscriptions, money, rejections, since }: Derived): Omit<Sync, "eventId"> {
  const { before, snapshot, ledger, isListed, community, tierIds, now } = state;
  const { own, shown, standings } = subscriptions;
  const { payments, charges } = money;
  const refunds = refundsAfter(before, charges, ledger);
  const after = memberAfter(start, shown, snapshot.customer, { payments, refunds: refunds.all, tierIds, now });
  if (shown && isLive(shown) && tierOf(shown, tierIds) === undefined) measure("unknown_price");
  const done = isListed ? doneOperations(ledger, { subscriptions: own }, refunds.all) : openOperations(ledger);
  const tier = community.tiers.find(({ id }) => id === after.tier_id);
  const standingBefore = new Map(ledger.subscriptions.map((one) => [one.subscription_id, one]));
  return {
    before,
    after,
    facts: [
      ...paymentWrites(after.id, payments, charges, { ledger, since }),
      ...refundWrites(after.id, refunds, { done, since }),
    ],
    done,
    begun: [
      ...rejections.flatMap(beginOperation),
      ...standings.map((one) => putSubscription(after.id, one, standingBefore.get(one.subscription_id))),
      ...(tier && !tier.in_use ? [use(community.id, tier.id)] : []),
    ],
    auditEntries: auditEntriesOf(before, after, done),
  };
}

/**
 * Whether a checkout was completed after its tier or community was archived. Later edits of these may hide that, in
 * favour of the person who paid.
 */
function isMadeTooLate(
  { metadata, created }: Stripe.Subscription,
  { status, updated_at, tiers }: OpenCommunity,
): boolean {
  const tier = tiers.find(({ id }) => String(id) === metadata.tier_id);
  const archived = [...(tier?.status === "archived" ? [tier] : []), ...(status === "archived" ? [{ updated_at }] : [])];
  return archived.some((one) => created * 1000 > Date.parse(one.updated_at));
}

const isOfOne = (payments: readonly Payment[], charge: string): boolean =>
  payments.some(({ charges }) => charges.some(({ id }) => id === charge));

/** The ledger with operations that have begun since it was read, and whose refunds Stripe shows already. */
function withBegunSince(table: Reader, memberId: number, ledger: Ledger, { charges }: Snapshot): Promise<Ledger> {
  const known = new Set(ledger.refunds.map(({ refund_id }) => refund_id));
  const made = charges.flatMap(({ refunds }) => refunds).filter(({ id }) => !known.has(id));
  const ids = made.flatMap(({ metadata }) => metadata?.operation_id ?? []);
  return withOperations(table, memberId, ledger, ids);
}
