import type Stripe from "stripe";
import type { Operation } from "../domain/operation.ts";
import { logError } from "../log.ts";
import { Conflict, Contention } from "../store/failure.ts";
import { markHandled, Repeated } from "../store/handled-events.ts";
import type { StoredMember } from "../store/members/item.ts";
import { type Link, save } from "../store/members/sync.ts";
import { begin } from "../store/operations.ts";
import type { Writer } from "../store/table.ts";
import { isEnded, sendCancellation } from "./cancel-at-stripe.ts";
import { followCard, keepCard } from "./cards.ts";
import { dropPending } from "./change-at-stripe.ts";
import type { BillingContext } from "./context.ts";
import { type Copy, isCoveredByOthers, readCopy } from "./copy.ts";
import { performAll } from "./perform-all.ts";
import { isRejection, reject } from "./rejections.ts";
import type { Snapshot } from "./snapshot.ts";
import { type Cause, type PlanInput, planSync } from "./sync-plan.ts";

/** The copy of a member, and the data of their customer at Stripe, which was read after the copy. */
type Known = { readonly copy: Copy; readonly snapshot: Snapshot };

/**
 * Synchronizes a member with the current data of their customer at Stripe, and performs the operations that it begins. Has no
 * effect for a customer that was deleted at Stripe and replaced.
 *
 * @param known what the caller has read, so that it is not read again
 * @returns the current member; undefined if nothing was stored, because the customer has no subscription yet or the event
 * was handled before
 */
export async function syncMember(
  context: BillingContext,
  link: Link,
  cause?: Cause,
  known?: Known,
): Promise<StoredMember | undefined> {
  const { saved, failure } = await syncAndPerform(context, link, cause, known);
  if (failure) throw failure.error;
  return saved;
}

/**
 * The same after what a request has changed at Stripe, which is done. Operations that fail stay open, and the schedule performs
 * them again.
 */
export async function syncAfterChange(
  context: BillingContext,
  link: Link,
  known?: Known,
): Promise<StoredMember | undefined> {
  const { saved, failure } = await syncAndPerform(context, link, undefined, known);
  if (failure) logError(failure.error as Error, { message: "An automatic operation has failed" });
  return saved;
}

type Performed = {
  readonly saved: StoredMember | undefined;
  /** The first failure of an operation. */
  readonly failure?: { readonly error: unknown };
};

async function syncAndPerform(context: BillingContext, link: Link, cause?: Cause, known?: Known): Promise<Performed> {
  // Performs each operation once. A rejection that waits for a payment to settle stays open.
  const performed = new Set<string>();
  let { saved, due } = await synchronize(context, link, cause, known);
  for (;;) {
    const left = due.filter(({ id }) => !performed.has(id));
    if (left.length === 0) return { saved };
    try {
      await performAll(left, async (operation) => {
        performed.add(operation.id);
        await (isRejection(operation) ? reject(context, operation) : endReplaced(context, operation));
      });
    } catch (error) {
      return { saved, failure: { error } };
    }
    ({ saved, due } = await synchronize(context, link, undefined));
  }
}

/** Cancels a subscription that was replaced, unless it has ended. */
const endReplaced = (context: BillingContext, operation: Operation): Promise<void> =>
  sendCancellation(context, operation).catch((error: unknown) => {
    if (!isEnded(error)) throw error;
  });

/** Synchronizes a member with a key that can only read at Stripe. Leaves what it finds to do to the schedule. */
export async function repairMember(context: BillingContext, link: Link): Promise<void> {
  await synchronize({ ...context, readsOnly: true }, link, undefined);
}

/** Maximum number of attempts to store a member. More only cost requests to Stripe. */
const attempts = 20;

async function synchronize(
  context: BillingContext,
  link: Link,
  cause: Cause | undefined,
  known?: Known,
): Promise<Synchronized> {
  let { copy, snapshot } = known ?? { copy: await readCopy(context, link), snapshot: undefined };
  // What was known was read before the effect that has to be stored, so that two others may have written without it.
  let initial = known ? undefined : copy;
  for (let tried = 1; ; tried++) {
    const { saved, due } = await attemptSync(context, link, { copy, snapshot, cause });
    if (saved !== "overtaken") return { saved, due };
    if (tried === attempts) throw new Contention(new Error(`The member of ${link.customer_id} cannot be stored`));
    [copy, snapshot] = [await readCopy(context, link), undefined];
    // Other synchronizations have not read the charge or invoice of the former customer.
    if (initial && !cause?.former && isCoveredByOthers(initial, copy)) {
      await markCause(context, cause);
      return { saved: copy.member, due: [] };
    }
    initial ??= copy;
  }
}

async function markCause({ table, now }: BillingContext, cause: Cause | undefined): Promise<void> {
  if (cause?.id !== undefined) await markHandled(table, cause.id, now);
}

type Synchronized = {
  readonly saved: StoredMember | undefined;
  /** Operations to perform now. */
  readonly due: readonly Operation[];
};

/** The result of one attempt. `overtaken` if another synchronization wrote the copy after this attempt read it. */
type Attempt = Synchronized | { readonly saved: "overtaken"; readonly due: readonly Operation[] };

/** Reads Stripe and writes the changes, unless the copy has changed since it was read. */
async function attemptSync(context: BillingContext, link: Link, attempt: PlanInput): Promise<Attempt> {
  const { table } = context;
  const { copy, cause } = attempt;
  const plan = await planSync(context, link, attempt);
  // Before the event is marked as handled.
  const noted = plan?.shown && !context.readsOnly ? await adjust(context, plan.shown, copy) : {};
  if (!plan?.sync) {
    const due = plan?.due ?? [];
    for (const operation of due) await beginAutomatic(table, operation);
    await markCause(context, cause);
    return { saved: plan ? undefined : copy.member, due };
  }
  try {
    const after = { ...plan.sync.after, ...noted };
    await save(table, { ...plan.sync, after }, plan.at);
    return { saved: after, due: plan.due };
  } catch (error) {
    if (error instanceof Repeated) return { saved: undefined, due: [] };
    if (error instanceof Conflict) return { saved: "overtaken", due: [] };
    throw error;
  }
}

/** Changes at Stripe what its own rules would leave. Returns what to store about it. */
async function adjust({ billing }: BillingContext, shown: Stripe.Subscription, { member }: Copy) {
  if (member?.is_blocked) await dropPending(billing, shown);
  const { subscription, noted } = await followCard(billing, shown, member);
  await keepCard(billing, subscription);
  return noted;
}

/** Stores an operation, unless a concurrent synchronization has stored it. */
const beginAutomatic = (table: Writer, operation: Operation): Promise<void> =>
  begin(table, operation).catch((error: unknown) => {
    if (!(error instanceof Conflict)) throw error;
  });
