import * as v from "valibot";
import { type Intent, Operation } from "../domain/operation.ts";
import type { PlannedPrice } from "../fields/operation.ts";
import { RefundEntry } from "../fields/refund.ts";
import { Problem } from "../problem.ts";
import type { Item } from "./expression.ts";
import { StoredDispute, StoredPayment, StoredRefund, StoredSubscription } from "./facts.ts";
import { Conflict } from "./failure.ts";
import { keys, ofKind } from "./keys.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { write } from "./write.ts";

/** A member's operations, and the payments, refunds, disputes and subscriptions from which the sums are computed. */
export type Ledger = {
  readonly operations: readonly Operation[];
  readonly refunds: readonly StoredRefund[];
  readonly payments: readonly StoredPayment[];
  readonly disputes: readonly StoredDispute[];
  readonly subscriptions: readonly StoredSubscription[];
};

/** Reads the ledger with one Query, because these items are adjacent in a member's partition. */
export async function ledgerOf(table: Reader, memberId: number): Promise<Ledger> {
  const { pk, sk: from } = keys.dispute(memberId, "");
  const items: Item[] = [];
  let after: { pk: string; sk: string } | undefined;
  do {
    const page = await table.query({ pk, from, after });
    items.push(...page.items);
    after = page.last;
  } while (after);
  return ledgerOfItems(items);
}

/** The ledger among the items of a member's partition. */
export function ledgerOfItems(items: readonly Item[]): Ledger {
  return {
    operations: ofKind(items, "operation").map((item) => v.parse(Operation, item)),
    refunds: ofKind(items, "refund").map((item) => v.parse(StoredRefund, item)),
    payments: ofKind(items, "payment").map((item) => v.parse(StoredPayment, item)),
    disputes: ofKind(items, "dispute").map((item) => v.parse(StoredDispute, item)),
    subscriptions: ofKind(items, "subscription").map((item) => v.parse(StoredSubscription, item)),
  };
}

/**
 * Adds the operations with these ids to the ledger, if they exist. The ids come from Stripe's metadata, which others
 * can edit, so other texts are ignored.
 */
export async function withOperations(table: Reader, memberId: number, ledger: Ledger, ids: readonly string[]) {
  const known = new Set(ledger.operations.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id) && /^[\w-]{1,100}$/.test(id));
  if (missing.length === 0) return ledger;
  const found = await table.getAll(missing.map((id) => keys.operation(memberId, id)));
  return { ...ledger, operations: [...ledger.operations, ...found.map((item) => v.parse(Operation, item))] };
}

export async function find(table: Reader, memberId: number, operationId: string): Promise<Operation | undefined> {
  const item = await table.get(keys.operation(memberId, operationId));
  return item && v.parse(Operation, item);
}

/** A refund as the API shows it, including refunds that the member's record no longer lists. */
export async function findRefund(table: Reader, memberId: number, issuedAt: string, refundId: string) {
  const item = await table.get(keys.refund(memberId, issuedAt, refundId));
  return item && v.parse(RefundEntry, item);
}

/** The operation that holds the lock of what an intent would change. */
export async function holderOf(table: Reader, memberId: number, intent: Intent): Promise<Operation | undefined> {
  const lock = lockOf(intent);
  const item = lock && (await table.get(keys.chargeLock(lock.of)));
  return item && find(table, memberId, String(item.operation_id));
}

/**
 * Stores an operation before Stripe is called. A charge has at most one unfinished refund, and a subscription at most one
 * unfinished change and one unfinished cancellation or withdrawal of one. An immediate cancellation needs no turn.
 *
 * @throws Problem `request_in_progress` if another one is unfinished; a `Conflict` if the operation is
 *   stored already, or if one of `conditions` does not hold
 */
export async function begin(table: Writer, operation: Operation, conditions: readonly Write[] = []): Promise<void> {
  await write(table, [...beginOperation(operation), ...conditions]);
}

/** The writes of `begin`, for a transaction with other writes. */
export const beginOperation = (operation: Operation): Write[] => [
  {
    put: { ...keys.operation(operation.member_id, operation.id), ...operation },
    when: "absent",
    otherwise: new Conflict("The operation has begun already"),
  },
  ...holding(operation),
];

/** Stores a completed operation in the transaction that has its effect, so that a retry of the request finds it. */
export const putDone = (operation: Operation, now: Date): Write => ({
  put: { ...keys.operation(operation.member_id, operation.id), ...operation, state: "done", expires_at: expiryOf(now) },
  when: "absent",
});

/**
 * The items that exist while an operation is open: its entry in the list of open operations, and the lock of what
 * it changes.
 */
function holding({ id, member_id, created_at, intent }: Operation): Write[] {
  const open = { ...keys.openOperation(created_at, id), kind: "operation", operation_id: id, member_id };
  const writes: Write[] = [{ put: open }];
  const lock = lockOf(intent);
  if (lock)
    writes.push({
      put: { ...keys.chargeLock(lock.of), operation_id: id },
      when: "absent",
      otherwise: new Problem("request_in_progress", { detail: lock.detail, headers: { "retry-after": "5" } }),
    });
  return writes;
}

/** What at most one open operation may change at a time. Undefined for operations that need no lock. */
function lockOf(intent: Intent) {
  if (intent.kind === "refund")
    return { of: intent.charge_id, detail: "Another refund of this charge is not finished yet" };
  if (intent.kind === "change" || intent.kind === "unschedule")
    return { of: intent.subscription_id, detail: "Another change of this subscription is not finished yet" };
  const isScheduling = intent.kind === "uncancel" || (intent.kind === "cancel" && intent.mode === "at_period_end");
  if (isScheduling && intent.subscription_id !== null)
    return {
      of: `${intent.subscription_id}#END`,
      detail: "Another cancellation, or its withdrawal, is not finished yet",
    };
  return undefined;
}

/**
 * Completes open operations: releases their locks, and keeps their records for 35 days. Two of them can have the same lock if
 * one was completed or refused after it was read. The write then fails with a `Conflict`.
 */
export function completeAll(operations: readonly Operation[], now: Date): Write[] {
  const set = { state: "done", expires_at: expiryOf(now) };
  const ends = operations.map(({ id, member_id, attempt }): Write => {
    return { update: keys.operation(member_id, id), set, when: { is: { state: "open", attempt } } };
  });
  // A transaction may not write an item twice.
  const released = new Map(operations.flatMap(releaseOperation).map((release) => [JSON.stringify(release), release]));
  return [...ends, ...released.values()];
}

/**
 * Stores the planned prices that the release from a subscription schedule discards, for the audit entry of the
 * operation.
 */
export const noteDropped = (table: Writer, { id, member_id }: Operation, dropped_prices: readonly PlannedPrice[]) =>
  write(table, [{ update: keys.operation(member_id, id), set: { dropped_prices }, when: "exists" }]);

/** Records that Stripe refused an attempt. Releases the lock. The stored choice of charge and amount is kept. */
export async function refuse(table: Writer, operation: Operation, now: Date): Promise<void> {
  const { id, member_id, attempt } = operation;
  const set = { state: "refused", attempt: (attempt ?? 1) + 1, expires_at: expiryOf(now) };
  const when = { is: { state: "open", attempt } };
  await write(table, [{ update: keys.operation(member_id, id), set, when }, ...releaseOperation(operation)]).catch(
    (error) => {
      // A concurrent run of the same attempt has recorded the refusal.
      if (!(error instanceof Conflict)) throw error;
    },
  );
}

/**
 * Begins another attempt at an operation that Stripe refused.
 *
 * @throws Problem `request_in_progress` if another refund of the charge is unfinished; a `Conflict` if another attempt
 *   has begun
 */
export async function reopen(table: Writer, operation: Operation, now: Date): Promise<Operation> {
  const { id, member_id, attempt } = operation;
  const created_at = now.toISOString();
  const opened: Operation = { ...operation, state: "open", created_at };
  const set = { state: "open", created_at, expires_at: undefined };
  const when = { is: { state: "refused", attempt } };
  await write(table, [{ update: keys.operation(member_id, id), set, when }, ...holding(opened)]);
  return opened;
}

function releaseOperation({ id, created_at, intent }: Operation): Write[] {
  const writes: Write[] = [{ delete: keys.openOperation(created_at, id) }];
  const lock = lockOf(intent);
  if (lock) writes.push({ delete: keys.chargeLock(lock.of) });
  return writes;
}

const day = 24 * 60 * 60;

/** Expiry of a completed or refused operation, in seconds since 1970. */
const expiryOf = (now: Date): number => Math.floor(now.getTime() / 1000) + 35 * day;
