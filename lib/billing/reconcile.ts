import type { Operation } from "../domain/operation.ts";
import { logError } from "../log.ts";
import { Problem } from "../problem.ts";
import * as due from "../store/due.ts";
import * as members from "../store/members/members.ts";
import { findLink, type Link } from "../store/members/sync.ts";
import { refuse, unfinished } from "../store/operations.ts";
import { isEnded, repeatCancellation } from "./cancellation.ts";
import type { BillingContext } from "./context.ts";
import { eventTypes, handleEvent } from "./events.ts";
import { linkOf } from "./operations.ts";
import { profilesToCopy } from "./profile-changes.ts";
import { repeatRefund } from "./refunds.ts";
import { reject } from "./rejections.ts";
import { fetchCharges } from "./snapshot.ts";
import { syncMember } from "./sync.ts";

/** One thing that was looked at. */
export type Step = {
  readonly kind: "operation" | "event" | "member" | "profile";
  readonly id: string;
  readonly failed: boolean;
};

type Work = { readonly kind: Step["kind"]; readonly id: string; readonly run: () => Promise<unknown> };

const minute = 60_000;
const day = 24 * 60 * minute;

/**
 * Finds all that a crash or a lost event may have left: operations that were begun and not finished, events that Stripe
 * could not deliver, members whose period has ended without a word, and profiles whose copies could not be made. What
 * fails is reported and looked at again the next time.
 */
export async function workToDo(context: BillingContext, livemode: boolean): Promise<Work[]> {
  const { table, now } = context;
  const [operations, events, dueMembers, profiles] = await Promise.all([
    unfinished(table, new Date(now.getTime() - 2 * minute)),
    undelivered(context),
    due.members(table, now),
    profilesToCopy(context),
  ]);
  return [
    ...operations.map(
      (operation): Work => ({
        kind: "operation",
        id: operation.id,
        run: () => finish(context, operation),
      }),
    ),
    ...events.map((event): Work => ({ kind: "event", id: event.id, run: () => handleEvent(context, event, livemode) })),
    ...dueMembers.map(
      (member): Work => ({
        kind: "member",
        id: String(member.id),
        run: () => syncMember(context, linkOf(member)),
      }),
    ),
    ...profiles,
  ];
}

/** Does the work, one thing after the other. */
export async function* reconcile(work: readonly Work[]): AsyncGenerator<Step> {
  for (const { kind, id, run } of work) {
    let failed = false;
    try {
      await run();
    } catch (error) {
      failed = true;
      logError(error instanceof Error ? error : new Error("Reconcile failed"), { kind, id });
    }
    yield { kind, id, failed };
  }
}

/** Oldest first, of the last four days: a day longer than Stripe tries to deliver an event in live mode. */
async function undelivered({ billing, now }: BillingContext) {
  const created = { gte: Math.floor((now.getTime() - 4 * day) / 1000) };
  const events = await billing((stripe, options) =>
    stripe.events
      .list({ delivery_success: false, types: [...eventTypes], created, limit: 100 }, options)
      .autoPagingToArray({ limit: 10_000 }),
  );
  return events.toReversed();
}

/** Brings an operation to its end: asks Stripe again for the very same, and copies what came of it. */
async function finish(context: BillingContext, operation: Operation): Promise<void> {
  const link = await findLink(context.table, operation.customer_id);
  if (!link) return abandon(context, operation);
  await ask(context, operation, link).catch((error: unknown) => {
    // Stripe's refusal is an end too: nothing came of the operation.
    if (!(error instanceof Problem && error.status < 500) && !isEnded(error)) throw error;
  });
  await syncMember(context, link);
}

/** Nothing can come any more of an operation on a customer who was deleted at Stripe and has been replaced. */
async function abandon({ table, now }: BillingContext, operation: Operation): Promise<void> {
  const member = await members.find(table, operation.community_id, operation.member_id);
  if (!member) throw new Error(`Operation ${operation.id} is of a customer who is none of ours`);
  await refuse(table, operation, now);
}

async function ask(context: BillingContext, operation: Operation, { customer_id }: Link): Promise<unknown> {
  const { kind } = operation.intent;
  switch (kind) {
    case "refund":
      return repeatRefund(context, operation, await fetchCharges(context.billing, customer_id));
    case "cancel":
    case "uncancel":
      return repeatCancellation(context, operation);
    case "reject":
      return reject(context, operation);
    default:
      return kind satisfies never;
  }
}
