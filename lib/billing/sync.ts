import type { Operation } from "../domain/operation.ts";
import { logError } from "../log.ts";
import { type OpenCommunity, open } from "../store/communities.ts";
import * as customers from "../store/customers.ts";
import { Conflict } from "../store/failure.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import { type Link, markHandled, Repeated, type Sync, save } from "../store/members/sync.ts";
import { beginOperation, ledgerOf } from "../store/operations.ts";
import { use } from "../store/tiers.ts";
import * as users from "../store/users.ts";
import { timeOver } from "../store/write.ts";
import type { BillingContext } from "./context.ts";
import { auditEntriesOf, choose, doneOperations, memberAfter, newMember, refundsAfter } from "./derive.ts";
import { reject } from "./rejections.ts";
import { fetchSnapshot, tierOf } from "./snapshot.ts";
import { isUnknownCustomer } from "./stripe.ts";

/**
 * Makes our copy of a customer what Stripe holds now, whoever noticed that it may differ: an event, an action of ours,
 * or the schedule. A customer that was deleted at Stripe and replaced by another changes nothing any more.
 *
 * @returns the member as they are now; undefined where the customer has no subscription yet
 */
export async function syncMember(
  context: BillingContext,
  link: Link,
  eventId?: string,
): Promise<StoredMember | undefined> {
  const begun = await findMember(context, link);
  let before = begun;
  for (;;) {
    const { saved, rejections } = await attemptSync(context, link, before, eventId);
    if (saved !== "overtaken") {
      if (rejections.length === 0) return saved;
      for (const operation of rejections) await reject(context, operation);
      return syncMember(context, link);
    }
    before = await findMember(context, link);
    if (isCoveredByOthers(begun, before)) {
      if (eventId !== undefined) await markHandled(context.table, eventId, context.now);
      return before;
    }
  }
}

const findMember = ({ table }: BillingContext, { community_id, member_id }: Link): Promise<StoredMember | undefined> =>
  members.find(table, community_id, member_id);

/**
 * When an overtaken synchronization need not ask Stripe again: once two others have written since it began. The later of
 * them read the copy after the first had written it, so it asked Stripe after we began and saw all that we would see.
 */
const isCoveredByOthers = (begun: StoredMember | undefined, latest: StoredMember | undefined): boolean =>
  (latest?.sync_version ?? 0) >= (begun?.sync_version ?? 0) + 2;

/** What became of one attempt: `overtaken` where another synchronization wrote the copy after it was read. */
type Attempt = {
  readonly saved: StoredMember | undefined | "overtaken";
  /** Subscriptions that must be canceled and refunded now. */
  readonly rejections: readonly Operation[];
};

/** Asks Stripe and writes what it says over the version of the copy that was read before. */
async function attemptSync(
  context: BillingContext,
  link: Link,
  before: StoredMember | undefined,
  eventId: string | undefined,
): Promise<Attempt> {
  const { table, now } = context;
  const planned = await plan(context, link, before, eventId);
  if (!planned) {
    if (eventId !== undefined) await markHandled(table, eventId, now);
    return { saved: before, rejections: [] };
  }
  try {
    await save(table, planned.sync, planned.at);
    return { saved: planned.sync.after, rejections: planned.rejections };
  } catch (error) {
    if (error instanceof Repeated) return { saved: await findMember(context, link), rejections: [] };
    if (error instanceof Conflict) return { saved: "overtaken", rejections: [] };
    throw error;
  }
}

/** What Stripe's word changes; undefined where there is nothing to make a record of. */
async function plan(
  { table, billing, now: begunAt }: BillingContext,
  link: Link,
  before: StoredMember | undefined,
  eventId?: string,
) {
  const [snapshot, ledger, current, community, user] = await Promise.all([
    fetchSnapshot(billing, link.customer_id).catch((error: unknown) => {
      if (!isUnknownCustomer(error, link.customer_id)) throw error;
      return undefined;
    }),
    ledgerOf(table, link.member_id),
    customers.find(table, link.user_id, link.community_id),
    open(table, link.community_id),
    before ? undefined : users.find(table, link.user_id),
  ]);
  const now = timeOver(before, begunAt, table.runtime.now());
  if (current && current.customer_id !== link.customer_id) return undefined;
  if (!snapshot) {
    // Nothing can come any more of what was asked for; what we know of the member stays.
    const done = ledger.operations.filter(({ state }) => state === "open");
    const sync: Sync | undefined = before && { before, after: before, done, eventId, ...nothing };
    return sync && { sync, rejections: [], at: now };
  }
  const tierIds = new Set(community.tiers.map(({ id }) => id));
  const { shown, rejected } = choose(before, snapshot, ledger, { memberId: link.member_id, tierIds });
  const tier_id = before?.tier_id ?? (shown && firstTier(community, tierOf(shown)));
  // One who was imported becomes a customer only when they check out.
  const known = before && { ...before, stripe_customer_id: link.customer_id };
  const start = known ?? (shown && user && tier_id && newMember(link, user, shown, tier_id, now));
  if (!start) {
    if (shown) logError(new Error("A subscription's price belongs to no tier"), { customer: link.customer_id });
    return undefined;
  }

  const refunds = refundsAfter(snapshot, ledger);
  const after = memberAfter(start, shown, snapshot, { refunds: refunds.all, tierIds, now });
  const done = doneOperations(ledger, snapshot, refunds.all);
  const rejections = rejected.map(
    ({ id }): Operation => ({
      id: `reject-${id}`,
      community_id: link.community_id,
      member_id: link.member_id,
      customer_id: link.customer_id,
      actor_id: null,
      request_id: null,
      fingerprint: null,
      intent: { kind: "reject", subscription_id: id },
      state: "open",
      created_at: now.toISOString(),
    }),
  );
  const tier = community.tiers.find(({ id }) => id === after.tier_id);
  const unfinished = ledger.operations.filter(({ intent, state }) => intent.kind === "reject" && state === "open");
  const sync: Sync = {
    before,
    after,
    refunds: refunds.changed,
    done,
    begun: [...rejections.flatMap(beginOperation), ...(tier && !tier.in_use ? [use(community.id, tier.id)] : [])],
    auditEntries: auditEntriesOf(before, after, refunds, done),
    eventId,
  };
  return { sync, rejections: [...unfinished, ...rejections], at: now };
}

const nothing = { refunds: [], begun: [], auditEntries: [] };

/** The tier of a person's first subscription; a price that is none of ours makes no member. */
const firstTier = ({ tiers }: OpenCommunity, tierId: number | undefined): number | undefined =>
  tiers.find(({ id }) => id === tierId)?.id;
