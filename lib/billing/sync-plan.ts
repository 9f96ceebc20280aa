import type Stripe from "stripe";
import type { Operation } from "../domain/operation.ts";
import { erasedRecord } from "../fields/field.ts";
import { paymentFields } from "../fields/payment.ts";
import { measure } from "../log.ts";
import { open } from "../store/communities.ts";
import * as customers from "../store/customers.ts";
import { type Payment, putSubscription } from "../store/facts.ts";
import type { Confirmation } from "../store/members/confirmation.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { Link, Sync } from "../store/members/sync.ts";
import type { OpenCommunity } from "../store/open-community.ts";
import { beginOperation, type Ledger } from "../store/operations.ts";
import { use } from "../store/tiers.ts";
import { transactionWrites } from "../store/transactions.ts";
import * as users from "../store/users.ts";
import { timeOver } from "../store/write.ts";
import { awaitsCollection } from "./collection.ts";
import type { BillingContext } from "./context.ts";
import type { Copy } from "./copy.ts";
import { type FormerSubject, fetchFormer, isDeleted, snapshotOfDeleted } from "./deleted-customer.ts";
import { auditEntriesOf, doneOperations, memberAfter, newMember, withNewOperations } from "./derive.ts";
import { disputesAfter } from "./disputes.ts";
import { announcedSince, isPendingChange, mergeRefunds, paymentWrites, refundWrites } from "./facts.ts";
import { measureForeign } from "./foreign.ts";
import { tierOfInvoice } from "./invoice-line.ts";
import { choose, isCreatedTooLate, ownSubscriptions } from "./ownership.ts";
import { findSnapshot, paymentsOf } from "./payments.ts";
import { automaticOperations, isAutomatic } from "./rejections.ts";
import { type ChargeWithRefunds, isLive, type Snapshot, tierOf, withSchedules } from "./snapshot.ts";

/** The event that causes a synchronization. */
export type Cause = {
  /** The id of the event at Stripe. */
  readonly id?: string;
  /** The charge or invoice of the event, if its customer was deleted at Stripe and replaced by another. */
  readonly former?: FormerSubject | undefined;
};

export type PlanInput = {
  readonly copy: Copy;
  /** The customer's data at Stripe, if it was read after the copy. */
  readonly snapshot: Snapshot | undefined;
  readonly cause: Cause | undefined;
};

type Plan = {
  /** The writes. Undefined if there is no record to write. */
  readonly sync: Sync | undefined;
  /** Operations to perform now: rejections, and cancellations of subscriptions that were replaced. */
  readonly due: readonly Operation[];
  /** The subscription that the record shows. */
  readonly shown: Stripe.Subscription | undefined;
  readonly at: Date;
};

/**
 * Reads a customer at Stripe and plans the changes of the stored copy. A person whose only subscriptions are rejected gets
 * no record.
 *
 * @returns undefined if there is nothing to write: the customer was replaced by another, has no subscription or is unknown
 */
export async function planSync(context: BillingContext, link: Link, input: PlanInput): Promise<Plan | undefined> {
  const { copy, cause } = input;
  const sources = await readSources(context, link, input);
  if (!sources) return undefined;
  const { now } = sources;
  if (!sources.snapshot) {
    if (!copy.member || !(await isDeleted(context.billing, link))) return undefined;
    return { sync: closeOperations(copy.member, copy, cause), due: [], shown: undefined, at: now };
  }
  const ledger = await withNewOperations(context.table, link.member_id, copy.ledger, sources.snapshot);
  const { member: before, confirmation } = copy;
  const state: SyncState = { ...sources, link, before, confirmation, ledger, snapshot: sources.snapshot };

  const subscriptions = subscriptionsOf(state);
  const money = memberPayments(state, subscriptions.own);
  measureForeign(state.snapshot, subscriptions.own, subscriptions.shown);
  const begun = automaticOperations(state, subscriptions);
  // Operations of a deleted customer can no longer complete.
  const unfinished = state.isListed ? openOperations(ledger).filter(isAutomatic) : [];
  const due = [...unfinished, ...begun];
  const { shown } = subscriptions;
  const initial = initialMember(state, subscriptions);
  if (!initial) return due.length === 0 ? undefined : { sync: undefined, due, shown, at: now };
  const since = announcedSince(copy.member, copy.ledger);
  return {
    sync: { ...writesOf(state, { initial, subscriptions, money, begun, since }), eventId: cause?.id },
    due,
    shown,
    at: now,
  };
}

/** The data that a synchronization reads besides the copy. */
type Sources = {
  /** The customer's data at Stripe, or the rest of it after a deletion. Undefined if nothing remains. */
  readonly snapshot: Snapshot | undefined;
  /** Whether Stripe still lists the customer. */
  readonly isListed: boolean;
  readonly community: OpenCommunity;
  readonly tierIds: ReadonlySet<number>;
  /** The person, if they are not a member yet. */
  readonly user: users.User | undefined;
  readonly now: Date;
};

type SyncState = Sources & {
  readonly link: Link;
  readonly before: StoredMember | undefined;
  readonly confirmation: Confirmation;
  readonly snapshot: Snapshot;
  readonly ledger: Ledger;
};

/** @returns undefined if the customer was replaced by another */
async function readSources(
  { table, billing, now: begunAt, readsOnly }: BillingContext,
  link: Link,
  { copy: { member: before, ledger }, snapshot: known, cause }: PlanInput,
): Promise<Sources | undefined> {
  const [listed, current, community, user, former] = await Promise.all([
    known ?? findSnapshot(billing, link.customer_id, readsOnly ? [] : withSchedules),
    customers.find(table, link.user_id, link.community_id),
    open(table, link.community_id),
    before ? undefined : users.find(table, link.user_id),
    cause?.former && fetchFormer(billing, cause.former),
  ]);
  const now = timeOver(before, begunAt, table.runtime.now());
  if (current && current.customer_id !== link.customer_id) return undefined;
  const snapshot = listed ?? (await snapshotOfDeleted(billing, link, before, ledger));
  const isRead = ({ charge: { id } }: ChargeWithRefunds) => snapshot?.charges.some(({ charge }) => charge.id === id);
  const otherCharges = (former?.charges ?? []).filter((charge) => !isRead(charge));
  const formerInvoices = [...(snapshot?.formerInvoices ?? []), ...(former?.formerInvoices ?? [])];
  return {
    snapshot: snapshot && { ...snapshot, formerInvoices, charges: [...snapshot.charges, ...otherCharges] },
    isListed: listed !== undefined,
    community,
    tierIds: new Set(community.tiers.map(({ id }) => id)),
    user,
    now,
  };
}

const openOperations = ({ operations }: Ledger) => operations.filter(({ state }) => state === "open");

/** Closes the open operations of a deleted customer without any data at Stripe. The member's record stays unchanged. */
const closeOperations = (member: StoredMember, { ledger, confirmation }: Copy, cause: Cause | undefined): Sync => ({
  before: member,
  after: member,
  confirmation,
  facts: [],
  transactions: [],
  done: openOperations(ledger),
  begun: [],
  auditEntries: [],
  eventId: cause?.id,
});

const isErased = ({ before, user }: SyncState): boolean => (before ?? user)?.erased_at !== undefined;

/** The member's subscriptions among those of the customer: the shown one, the rejected ones, and their standings. */
function subscriptionsOf(state: SyncState) {
  const { before, snapshot, ledger, link, tierIds, community } = state;
  const own = ownSubscriptions(before, snapshot.subscriptions, ledger, { memberId: link.member_id, tierIds });
  const isTooLate = (subscription: Stripe.Subscription) => isErased(state) || isCreatedTooLate(subscription, community);
  return { own, ...choose(before, own, ledger, isTooLate) };
}

type Subscriptions = ReturnType<typeof subscriptionsOf>;

/** The payments of the member's own subscriptions, and their charges at Stripe. */
function memberPayments(state: SyncState, own: Subscriptions["own"]) {
  const { snapshot, ledger } = state;
  const withCards = paymentsOf(snapshot, ledger, own);
  const payments = isErased(state) ? withCards.map((payment) => erasedRecord(paymentFields, payment)) : withCards;
  return { payments, charges: snapshot.charges.filter(({ charge }) => isChargeOf(payments, charge.id)) };
}

/**
 * The member before the changes: the stored member, or a new one for the shown subscription. Imported members get their
 * Stripe customer at their first checkout.
 */
function initialMember(state: SyncState, { shown }: Pick<Subscriptions, "shown">): StoredMember | undefined {
  const { before, link, tierIds, user, now } = state;
  if (before) return { ...before, stripe_customer_id: link.customer_id };
  const tierId = shown && tierOf(shown, tierIds);
  if (!shown || !user || isErased(state) || tierId === undefined) return undefined;
  return newMember(link, users.shownPerson(user), shown, tierId, now);
}

type SyncContent = {
  readonly initial: StoredMember;
  readonly subscriptions: Subscriptions;
  readonly money: ReturnType<typeof memberPayments>;
  /** Operations that the synchronization begins. */
  readonly begun: readonly Operation[];
  readonly since: ReturnType<typeof announcedSince>;
};

/** The writes of the synchronization. */
function writesOf(
  state: SyncState,
  { initial, subscriptions, money, begun, since }: SyncContent,
): Omit<Sync, "eventId"> {
  const { before, snapshot, ledger, isListed, community, tierIds, now } = state;
  const { own, shown, standings } = subscriptions;
  const { payments, charges } = money;
  const merged = mergeRefunds(before, charges, ledger);
  const disputes = disputesAfter(charges, ledger.disputes, now);
  const input = { payments, refunds: merged.refunds, disputes, tiers: community.tiers, now };
  const after = memberAfter(initial, shown, snapshot.customer, input);
  if (shown && isLive(shown) && tierOf(shown, tierIds) === undefined) measure("unknown_price");
  const visible = isListed ? doneOperations(ledger, { subscriptions: own }, merged.refunds) : openOperations(ledger);
  const done = visible.filter((operation) => !awaitsCollection(operation, snapshot, now));
  const usedTierIds = [after.tier_id, after.scheduled_change?.tier.id];
  const newlyUsed = community.tiers.filter(({ id, in_use }) => !in_use && usedTierIds.includes(id));
  const standingBefore = new Map(
    ledger.subscriptions.map((subscription) => [subscription.subscription_id, subscription]),
  );
  return {
    before,
    after,
    confirmation: state.confirmation,
    facts: [
      ...paymentWrites(after.id, payments, disputes, {
        ledger,
        since,
        isChange: isPendingChange(snapshot, ledger),
        tierOf: tierOfInvoice(snapshot, community.tiers),
      }),
      ...refundWrites(after.id, merged, { done, since }),
    ],
    transactions: transactionWrites(after, ledger, { payments, refunds: merged.refunds, disputes }),
    done,
    begun: [
      ...begun.flatMap(beginOperation),
      ...standings.map((standing) => putSubscription(after.id, standing, standingBefore.get(standing.subscription_id))),
      ...newlyUsed.map(({ id }) => use(community.id, id)),
    ],
    auditEntries: auditEntriesOf(before, after, visible),
  };
}

const isChargeOf = (payments: readonly Payment[], charge: string): boolean =>
  payments.some(({ charges }) => charges.some(({ id }) => id === charge));
