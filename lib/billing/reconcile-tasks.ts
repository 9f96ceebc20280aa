import type { Operation } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import * as due from "../store/due.ts";
import * as members from "../store/members/members.ts";
import { findLink, type Link } from "../store/members/sync.ts";
import { endIfDue } from "../store/members/term.ts";
import * as operations from "../store/operations.ts";
import { expireArchived } from "./archived-sessions.ts";
import { isEnded, repeatCancellation } from "./cancellation.ts";
import type { BillingContext } from "./context.ts";
import { handleEvent } from "./events.ts";
import { linkOf } from "./operations.ts";
import { copyProfile } from "./profile.ts";
import { repeatRefund } from "./refunds.ts";
import { isRejection } from "./rejections.ts";
import { fetchCharges } from "./snapshot.ts";
import { refusalOf } from "./stripe.ts";
import { syncMember } from "./sync.ts";

type TaskOf<Kind extends due.Task["kind"]> = Extract<due.Task, { kind: Kind }>;

const minute = 60_000;
const day = 24 * 60 * minute;

/** Executes a task of the schedule, and removes its row from the list. */
export async function perform(context: BillingContext, row: due.Row, livemode: boolean): Promise<void> {
  const task = due.taskOf(row);
  switch (task.kind) {
    case "operation":
      if (await finish(context, task)) return;
      break;
    case "member":
      if (await lookAt(context, row, task)) return;
      break;
    case "copy":
      if (await copyAgain(context, row, task)) return;
      break;
    case "event":
      await handleAgain(context, task.event_id, livemode);
      break;
    case "profile":
      await copyProfile(context, task.user_id);
      break;
    case "sessions":
      await expireArchived(context, task.community_id);
      break;
    default:
      task satisfies never;
  }
  await due.remove(context.table, row);
}

/**
 * Synchronizes a member who is due, and ends a membership without a subscription in Stripe whose end has come.
 *
 * @returns whether they are looked at again
 */
async function lookAt(context: BillingContext, row: due.Row, task: TaskOf<"member">) {
  const { table, now } = context;
  const member = await members.find(table, task.community_id, task.member_id);
  if (!member || !due.isDue(member, now)) return false;
  const synced = member.stripe_customer_id === null ? member : await syncMember(context, linkOf(member));
  const after = synced && (await endIfDue(table, synced, now));
  const next = after && due.nextLookAt(after, now);
  if (!after || next === undefined) return false;
  await due.putOff(table, row, after, next > now.toISOString() ? new Date(next) : retryAt(next, now));
  return true;
}

/** The period is over and Stripe reports no other: when to ask again. */
const retryAt = (dueAt: string, now: Date): Date =>
  new Date(now.getTime() + Math.min(day, Math.max(10 * minute, now.getTime() - Date.parse(dueAt))));

/**
 * Synchronizes a member whom an earlier version stored, and whom it may have listed under other keys.
 *
 * @returns whether they are looked at again
 */
async function copyAgain(context: BillingContext, row: due.Row, task: TaskOf<"copy">): Promise<boolean> {
  const { table, now } = context;
  const member = await members.find(table, task.community_id, task.member_id);
  if (!member || member.stripe_customer_id === null) return false;
  const after = await syncMember(context, linkOf(member));
  const next = after && due.nextLookAt(after, now);
  if (!after || next === undefined) return false;
  await due.putOff(table, row, after, new Date(next));
  return true;
}

/** An event that Stripe has forgotten meanwhile is none any more. */
async function handleAgain(context: BillingContext, id: string, livemode: boolean): Promise<void> {
  const event = await context
    .billing((stripe, options) => stripe.events.retrieve(id, {}, options))
    .catch((error: unknown) => {
      if (refusalOf(error)?.code !== "resource_missing") throw error;
      return undefined;
    });
  if (event) await handleEvent(context, event, { livemode });
}

/**
 * Brings an operation to its end: asks Stripe again for the very same, and copies what came of it.
 *
 * @returns whether it waits for a payment to settle, so that it is looked at again
 */
async function finish(context: BillingContext, { member_id, operation_id }: TaskOf<"operation">): Promise<boolean> {
  const operation = await operations.find(context.table, member_id, operation_id);
  if (operation?.state !== "open") return false;
  await repeat(context, operation);
  if ((await operations.find(context.table, member_id, operation_id))?.state !== "open") return false;
  if (isRejection(operation)) return true;
  throw new Error("Stripe does not show the effect of the operation");
}

async function repeat(context: BillingContext, operation: Operation): Promise<void> {
  const link = await findLink(context.table, operation.customer_id);
  if (!link || link.is_former) return abandon(context, operation);
  // A synchronization performs the rejections that are open.
  if (!isRejection(operation))
    await ask(context, operation, link).catch((error: unknown) => {
      // Stripe's refusal is an end too: nothing came of the operation.
      if (!(error instanceof Problem && error.status < 500) && !isEnded(error)) throw error;
    });
  await syncMember(context, link);
}

/** Nothing can come any more of an operation on a customer who was deleted at Stripe and has been replaced. */
async function abandon({ table, now }: BillingContext, operation: Operation): Promise<void> {
  const member = await members.find(table, operation.community_id, operation.member_id);
  if (!member) throw new Error(`Operation ${operation.id} belongs to an unknown customer`);
  await operations.refuse(table, operation, now);
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
      return undefined;
    default:
      return kind satisfies never;
  }
}
