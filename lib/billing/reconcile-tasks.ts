import type { Operation } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import * as due from "../store/due.ts";
import { unconfirm } from "../store/members/confirmation.ts";
import { isAsImported } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import { findLink, type Link } from "../store/members/sync.ts";
import { endIfDue } from "../store/members/term.ts";
import * as operations from "../store/operations.ts";
import { write } from "../store/write.ts";
import { statuses } from "../values/member-status.ts";
import { isEnded, sendCancellation } from "./cancel-at-stripe.ts";
import { renameProduct } from "./catalog.ts";
import { refuseIfUndone, sendChange } from "./change-at-stripe.ts";
import type { BillingContext } from "./context.ts";
import { handleEvent } from "./events.ts";
import { linkOf } from "./operations.ts";
import { copyProfile } from "./profile.ts";
import { ensureRefund } from "./refunds.ts";
import { isAutomatic, isRejection } from "./rejections.ts";
import { closeSessionsOf, expireArchived } from "./sessions.ts";
import { fetchCharges } from "./snapshot.ts";
import { undefinedIfMissing } from "./stripe.ts";
import { syncMember } from "./sync.ts";

type TaskOf<Kind extends due.Task["kind"]> = Extract<due.Task, { kind: Kind }>;

const minute = 60_000;
const day = 24 * 60 * minute;

/** Performs a task of the schedule and removes its row, unless the task must be repeated later. */
export async function performTask(context: BillingContext, row: due.Row, livemode: boolean): Promise<void> {
  const task = due.taskOf(row);
  switch (task.kind) {
    case "operation":
      if (await finishOperation(context, task)) return;
      break;
    case "member":
      if (await reconcileMember(context, row, task)) return;
      break;
    case "copy":
      if (await resyncMember(context, row, task)) return;
      break;
    case "event":
      await handleMissedEvent(context, task.event_id, livemode);
      break;
    case "profile":
      await copyProfile(context, task.user_id, task.had);
      break;
    case "sessions":
      await expireArchived(context, task.community_id);
      break;
    case "product":
      await renameProduct(context, task);
      break;
    default:
      task satisfies never;
  }
  await due.remove(context.table, row);
}

/**
 * Synchronizes a member whose check is due, and ends a membership without a subscription in Stripe at its scheduled end.
 *
 * @returns whether the row was rescheduled
 */
async function reconcileMember(context: BillingContext, row: due.Row, task: TaskOf<"member">) {
  const { table, now } = context;
  const find = () => members.find(table, task.community_id, task.member_id);
  const member = await find();
  if (!member || !due.isDue(member, now)) return false;
  if (member.stripe_customer_id !== null && !(await syncMember(context, linkOf(member)))) return false;
  // Read again, because a synchronization returns the versions before its write.
  const current = await find();
  const after = current && (await endIfDue(table, current, now));
  const next = after && due.nextLookAt(after, now);
  if (!after || next === undefined) return false;
  await due.putOff(table, row, after, next > now.toISOString() ? new Date(next) : retryAt(next, now));
  return true;
}

/** The next check of a member whose period has ended but who has no new period at Stripe. */
const retryAt = (dueAt: string, now: Date): Date =>
  new Date(now.getTime() + Math.min(day, Math.max(10 * minute, now.getTime() - Date.parse(dueAt))));

/**
 * Synchronizes a member that was blocked, or that an earlier version stored, perhaps with index keys that have changed since.
 * Expires the open checkout sessions of a member who may not check out.
 */
async function resyncMember(context: BillingContext, row: due.Row, task: TaskOf<"copy">): Promise<boolean> {
  const { table, now } = context;
  const member = await members.find(table, task.community_id, task.member_id);
  const isImported = member !== undefined && isAsImported(member);
  const isPaidElsewhere = isImported && statuses[member.status].isLive && member.stripe_subscription_id === null;
  if (member?.is_blocked || isPaidElsewhere) await closeSessionsOf(context, member);
  if (!member || member.stripe_customer_id === null) return false;
  // Another import can correct them until something happens at Stripe, of which an event comes.
  if (isImported && (member.is_blocked || isPaidElsewhere)) return false;
  await write(table, [unconfirm(member)]);
  const after = await syncMember(context, linkOf(member));
  const next = after && due.nextLookAt(after, now);
  if (!after || next === undefined) return false;
  await due.putOff(table, row, after, new Date(next));
  return true;
}

/** Handles an event that failed before. Ignores an event that Stripe no longer stores. */
async function handleMissedEvent(context: BillingContext, id: string, livemode: boolean): Promise<void> {
  const event = await undefinedIfMissing(context.billing((stripe, options) => stripe.events.retrieve(id, {}, options)));
  if (event) await handleEvent(context, event, { livemode });
}

/**
 * Completes an operation: sends its request to Stripe again and synchronizes the member.
 *
 * @returns whether the operation stays open, because it waits for a payment to settle
 */
async function finishOperation(
  context: BillingContext,
  { member_id, operation_id }: TaskOf<"operation">,
): Promise<boolean> {
  const operation = await operations.find(context.table, member_id, operation_id);
  if (operation?.state !== "open") return false;
  const isSent = await repeatOperation(context, operation);
  if ((await operations.find(context.table, member_id, operation_id))?.state !== "open") return false;
  if (isRejection(operation)) return true;
  if (isSent && (await refuseIfUndone(context, operation))) return false;
  throw new Error("Stripe does not show the effect of the operation");
}

/** @returns whether Stripe has accepted the request of the operation */
async function repeatOperation(context: BillingContext, operation: Operation): Promise<boolean> {
  const link = await findLink(context.table, operation.customer_id);
  if (!link || link.is_former) {
    await abandon(context, operation);
    return false;
  }
  // A synchronization performs the operations that it has begun.
  const isSent =
    !isAutomatic(operation) &&
    (await sendRequest(context, operation, link).then(
      () => true,
      (error: unknown) => {
        // A refusal by Stripe also ends the operation.
        if (!(error instanceof Problem && error.status < 500) && !isEnded(error)) throw error;
        return false;
      },
    ));
  await syncMember(context, link);
  return isSent;
}

/** Closes an operation whose customer was deleted at Stripe and replaced: it can no longer complete. */
async function abandon({ table, now }: BillingContext, operation: Operation): Promise<void> {
  const member = await members.find(table, operation.community_id, operation.member_id);
  if (!member) throw new Error(`Operation ${operation.id} belongs to an unknown customer`);
  await operations.refuse(table, operation, now);
}

async function sendRequest(context: BillingContext, operation: Operation, { customer_id }: Link): Promise<unknown> {
  const { kind } = operation.intent;
  switch (kind) {
    case "refund":
      return ensureRefund(context, operation, await fetchCharges(context.billing, customer_id));
    case "cancel":
    case "uncancel":
      return sendCancellation(context, operation);
    case "change":
    case "unschedule":
      return sendChange(context, operation);
    case "reject":
      return undefined;
    default:
      return kind satisfies never;
  }
}
