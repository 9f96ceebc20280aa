import type { Operation } from "../domain/operation.ts";
import { logError } from "../log.ts";
import { type OpenCommunity, open } from "../store/communities.ts";
import * as customers from "../store/customers.ts";
import { Conflict } from "../store/failure.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import { type Link, markHandled, Repeated, type Sync, save } from "../store/members/sync.ts";
import { beginning, ledgerOf } from "../store/operations.ts";
import * as users from "../store/users.ts";
import { choose, doneOperations, happeningsOf, memberAfter, newMember, refundsAfter } from "./derive.ts";
import { reject } from "./rejections.ts";
import { fetchSnapshot, tierOf } from "./snapshot.ts";
import { isUnknownCustomer } from "./stripe.ts";
import type { World } from "./world.ts";

/**
 * Makes our copy of a customer what Stripe holds now, whoever noticed that it may differ: an event, an action of ours,
 * or the schedule. The copy's version is read before Stripe is asked and must still stand when it is written; where
 * two others wrote meanwhile, the later of them asked Stripe after we began, so that it saw all that we would have.
 * A customer in whose place there is another one changes nothing any more.
 *
 * @returns the member as they are now; undefined where the customer has no subscription yet
 */
export async function syncMember(world: World, link: Link, eventId?: string): Promise<StoredMember | undefined> {
  const { table, now } = world;
  let before = await members.find(table, link.community_id, link.member_id);
  const since = before?.sync_version ?? 0;
  for (;;) {
    const planned = await plan(world, link, before, eventId);
    if (!planned) {
      if (eventId !== undefined) await markHandled(table, eventId, now);
      return before;
    }
    try {
      await save(table, planned.sync, now);
    } catch (error) {
      if (error instanceof Repeated) return members.find(table, link.community_id, link.member_id);
      if (!(error instanceof Conflict)) throw error;
      before = await members.find(table, link.community_id, link.member_id);
      if ((before?.sync_version ?? 0) < since + 2) continue;
      if (eventId !== undefined) await markHandled(table, eventId, now);
      return before;
    }
    if (planned.rejections.length === 0) return planned.sync.after;
    for (const operation of planned.rejections) await reject(world, operation);
    return syncMember(world, link);
  }
}

/** What Stripe's word changes; undefined where there is nothing to make a record of. */
async function plan({ table, billing, now }: World, link: Link, before: StoredMember | undefined, eventId?: string) {
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
  if (current && current.customer_id !== link.customer_id) return undefined;
  if (!snapshot) {
    // Nothing can come any more of what was asked for; what we know of the member stays.
    const done = ledger.operations.filter(({ state }) => state === "open");
    const sync: Sync | undefined = before && { before, after: before, done, eventId, ...nothing };
    return sync && { sync, rejections: [] };
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
  const unfinished = ledger.operations.filter(({ intent, state }) => intent.kind === "reject" && state === "open");
  const sync: Sync = {
    before,
    after,
    refunds: refunds.changed,
    done,
    begun: rejections.flatMap(beginning),
    happenings: happeningsOf(before, after, refunds, done),
    eventId,
  };
  return { sync, rejections: [...unfinished, ...rejections] };
}

const nothing = { refunds: [], begun: [], happenings: [] };

/** The tier of a person's first subscription; a price that is none of ours makes no member. */
const firstTier = ({ tiers }: OpenCommunity, tierId: number | undefined): number | undefined =>
  tiers.find(({ id }) => id === tierId)?.id;
