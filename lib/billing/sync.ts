import { Conflict } from "../store/failure.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import { type Link, markHandled, Repeated, save } from "../store/members/sync.ts";
import { begin, ledgerOf } from "../store/operations.ts";
import type { Writer } from "../store/table.ts";
import type { BillingContext } from "./context.ts";
import { type Rejection, reject } from "./rejections.ts";
import { type Cause, type Copy, planSync } from "./sync-plan.ts";

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
  const planned = await planSync(context, link, copy, cause);
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
