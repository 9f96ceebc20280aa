import type Stripe from "stripe";
import { measure } from "../log.ts";
import { type OpenCommunity, open } from "../store/communities.ts";
import * as customers from "../store/customers.ts";
import { type Payment, putSubscription, withoutCard } from "../store/facts.ts";
import { Conflict } from "../store/failure.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import { type Link, markHandled, Repeated, type Sync, save } from "../store/members/sync.ts";
import { begin, beginOperation, type Ledger, ledgerOf, withOperations } from "../store/operations.ts";
import type { Reader, Writer } from "../store/table.ts";
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
import { isRejection, type Rejection, reject, rejectionOf } from "./rejections.ts";
import { isLive, type Snapshot, tierOf } from "./snapshot.ts";

/** What a synchronization is done for. */
export type Cause = {
  /** The id of an event of Stripe's. */
  readonly id?: string;
  /** The charge that it is about, where that is of a customer who was deleted at Stripe and replaced by another. */
  readonly formerCharge?: string | undefined;
};

/**
 * Makes our copy of a customer what Stripe holds now, whoever noticed that it may differ: an event, an action of ours,
 * or the schedule. A customer that was deleted at Stripe and replaced by another changes nothing any more.
 *
 * @returns the member as they are now; undefined where the customer has no subscription yet
 */
export async function syncMember(
  context: BillingContext,
  link: Link,
  cause?: Cause,
): Promise<StoredMember | undefined> {
  // Each rejection is performed once: one that waits for a payment to settle is still open afterwards.
  const performed = new Set<string>();
  let { saved, rejections } = await synchronize(context, link, cause);
  for (;;) {
    const due = rejections.filter(({ id }) => !performed.has(id));
    if (due.length === 0) return saved;
    for (const operation of due) {
      performed.add(operation.id);
      await reject(context, operation);
    }
    ({ saved, rejections } = await synchronize(context, link, undefined));
  }
}

/** The same with a key that may change nothing at Stripe: subscriptions to be rejected are left to the schedule. */
export async function repairCopy(context: BillingContext, link: Link): Promise<void> {
  await synchronize(context, link, undefined);
}

async function synchronize(context: BillingContext, link: Link, cause: Cause | undefined): Promise<Synchronized> {
  const begun = await readCopy(context, link);
  let copy = begun;
  for (;;) {
    const { saved, rejections } = await attemptSync(context, link, copy, cause);
    if (saved !== "overtaken") return { saved, rejections };
    copy = await readCopy(context, link);
    // Others have not asked for the charge of a former customer.
    if (cause?.formerCharge === undefined && isCoveredByOthers(begun.member, copy.member)) {
      await markCause(context, cause);
      return { saved: copy.member, rejections: [] };
    }
  }
}

async function markCause({ table, now }: BillingContext, cause: Cause | undefined): Promise<void> {
  if (cause?.id !== undefined) await markHandled(table, cause.id, now);
}

/** What we hold of a member. It is read before Stripe is asked, as only over this state Stripe's word is newer. */
type Copy = { readonly member: StoredMember | undefined; readonly ledger: Ledger };

async function readCopy({ table }: BillingContext, { community_id, member_id }: Link): Promise<Copy> {
  const [member, ledger] = await Promise.all([
    members.find(table, community_id, member_id),
    ledgerOf(table, member_id),
  ]);
  return { member, ledger };
}

/**
 * When an overtaken synchronization need not ask Stripe again: once two others have written since it began. The later of
 * them read the copy after the first had written it, so it asked Stripe after we began and saw all that we would see. An
 * erasure writes the copy without asking Stripe.
 */
const isCoveredByOthers = (begun: StoredMember | undefined, latest: StoredMember | undefined): boolean =>
  latest?.erased_at === undefined && (latest?.sync_version ?? 0) >= (begun?.sync_version ?? 0) + 2;

type Synchronized = {
  readonly saved: StoredMember | undefined;
  /** Subscriptions that must be canceled and refunded now. */
  readonly rejections: readonly Rejection[];
};

/** What became of one attempt: `overtaken` where another synchronization wrote the copy after it was read. */
type Attempt = Synchronized | { readonly saved: "overtaken"; readonly rejections: readonly Rejection[] };

/** Asks Stripe and writes what it says over the version of the copy that was read before. */
async function attemptSync(
  context: BillingContext,
  link: Link,
  copy: Copy,
  cause: Cause | undefined,
): Promise<Attempt> {
  const { table } = context;
  const planned = await plan(context, link, copy, cause);
  if (!planned?.sync) {
    const rejections = planned?.rejections ?? [];
    for (const operation of rejections) await beginRejection(table, operation);
    await markCause(context, cause);
    return { saved: planned ? undefined : copy.member, rejections };
  }
  try {
    await save(table, planned.sync, planned.at);
    return { saved: planned.sync.after, rejections: planned.rejections };
  } catch (error) {
    if (error instanceof Repeated) return { saved: (await readCopy(context, link)).member, rejections: [] };
    if (error instanceof Conflict) return { saved: "overtaken", rejections: [] };
    throw error;
  }
}

/** A concurrent synchronization may have begun the operation. */
const beginRejection = (table: Writer, operation: Rejection): Promise<void> =>
  begin(table, operation).catch((error: unknown) => {
    if (!(error instanceof Conflict)) throw error;
  });

/**
 * What Stripe's word changes; undefined where there is nothing to make a record of. Someone whose only subscriptions are
 * rejected gets no record.
 */
async function plan(
  { table, billing, now: begunAt }: BillingContext,
  link: Link,
  { member: before, ledger: read }: Copy,
  cause: Cause | undefined,
) {
  const eventId = cause?.id;
  const [listed, current, community, user, former] = await Promise.all([
    snapshotOf(billing, link.customer_id),
    customers.find(table, link.user_id, link.community_id),
    open(table, link.community_id),
    before ? undefined : users.find(table, link.user_id),
    cause?.formerCharge === undefined ? [] : chargesById(billing, [cause.formerCharge]),
  ]);
  const now = timeOver(before, begunAt, table.runtime.now());
  if (current && current.customer_id !== link.customer_id) return undefined;
  const readable = listed ?? (await snapshotOfDeleted(billing, link, before, read));
  const found = readable && { ...readable, charges: [...readable.charges, ...former] };
  if (!found) {
    // Nothing can come any more of what was asked for; what we know of the member stays.
    const done = read.operations.filter(({ state }) => state === "open");
    const sync: Sync | undefined = before && { before, after: before, done, eventId, ...nothing };
    return sync && { sync, rejections: [], at: now };
  }
  const ledger = await withBegunSince(table, link.member_id, read, found);
  const tierIds = new Set(community.tiers.map(({ id }) => id));
  const own = ownSubscriptions(before, found.subscriptions, ledger, { memberId: link.member_id, tierIds });
  const isErased = (before ?? user)?.erased_at !== undefined;
  const { shown, rejected, standings } = choose(
    before,
    own,
    ledger,
    (one) => isErased || isMadeTooLate(one, community),
  );
  const seen = paymentsOf(found, ledger, own);
  const payments = isErased ? seen.map(withoutCard) : seen;
  const charges = found.charges.filter(({ charge }) => isOfOne(payments, charge.id));
  measureForeign(found, own, shown);

  const tier_id = before?.tier_id ?? (shown && tierOf(shown, tierIds));
  // One who was imported becomes a customer only when they check out.
  const known = before && { ...before, stripe_customer_id: link.customer_id };
  const start = known ?? (shown && user && !isErased && tier_id && newMember(link, user, shown, tier_id, now));
  const rejections = rejected.map((subscription) => rejectionOf(link, subscription, found, now));
  // Nothing can come any more of what was asked for a deleted customer.
  const openOperations = ledger.operations.filter(({ state }) => state === "open");
  const unfinished = listed ? openOperations.filter(isRejection) : [];
  const toReject = [...unfinished, ...rejections];
  if (!start) return toReject.length === 0 ? undefined : { sync: undefined, rejections: toReject, at: now };

  const refunds = refundsAfter(before, charges, ledger);
  const after = memberAfter(start, shown, found.customer, { payments, refunds: refunds.all, tierIds, now });
  if (shown && isLive(shown) && tierOf(shown, tierIds) === undefined) measure("unknown_price");
  const done = listed ? doneOperations(ledger, { subscriptions: own }, refunds.all) : openOperations;
  const since = toldSince(before, read);
  const tier = community.tiers.find(({ id }) => id === after.tier_id);
  const standingBefore = new Map(ledger.subscriptions.map((one) => [one.subscription_id, one]));
  const sync: Sync = {
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
    eventId,
  };
  return { sync, rejections: toReject, at: now };
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

const nothing = { facts: [], begun: [], auditEntries: [] };

const isOfOne = (payments: readonly Payment[], charge: string): boolean =>
  payments.some(({ charges }) => charges.some(({ id }) => id === charge));

/** The ledger with operations that have begun since it was read, and whose refunds Stripe shows already. */
function withBegunSince(table: Reader, memberId: number, ledger: Ledger, { charges }: Snapshot): Promise<Ledger> {
  const known = new Set(ledger.refunds.map(({ refund_id }) => refund_id));
  const made = charges.flatMap(({ refunds }) => refunds).filter(({ id }) => !known.has(id));
  const ids = made.flatMap(({ metadata }) => metadata?.operation_id ?? []);
  return withOperations(table, memberId, ledger, ids);
}
