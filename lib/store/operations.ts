import * as v from "valibot";
import { Operation } from "../domain/operation.ts";
import type { PlannedPrice } from "../fields/operation.ts";
import { RefundEntry } from "../fields/refund.ts";
import { Problem } from "../problem.ts";
import type { Item } from "./expression.ts";
import { StoredDispute, StoredPayment, StoredRefund, StoredSubscription } from "./facts.ts";
import { Conflict } from "./failure.ts";
import { keys, ofKind } from "./keys.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { write } from "./write.ts";

/** What is known of a member's money besides the sums: the operations on it, and the facts that the sums are made of. */
export type Ledger = {
  readonly operations: readonly Operation[];
  readonly refunds: readonly StoredRefund[];
  readonly payments: readonly StoredPayment[];
  readonly disputes: readonly StoredDispute[];
  readonly subscriptions: readonly StoredSubscription[];
};

/** One Query: these items follow each other in a member's partition. */
export async function ledgerOf(table: Reader, memberId: number): Promise<Ledger> {
  const { pk, sk: from } = keys.dispute(memberId, "");
  const items: Item[] = [];
  let after: { pk: string; sk: string } | undefined;
  do {
    const page = await table.query({ pk, from, after });
    items.push(...page.items);
    after = page.last;
  } while (after);
  return {
    operations: ofKind(items, "operation").map((item) => v.parse(Operation, item)),
    refunds: ofKind(items, "refund").map((item) => v.parse(StoredRefund, item)),
    payments: ofKind(items, "payment").map((item) => v.parse(StoredPayment, item)),
    disputes: ofKind(items, "dispute").map((item) => v.parse(StoredDispute, item)),
    subscriptions: ofKind(items, "subscription").map((item) => v.parse(StoredSubscription, item)),
  };
}

/** The ledger with these operations too, where there are any: what others put into Stripe's metadata is no id of ours. */
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

/** A refund as it is shown, however old. */
export async function findRefund(table: Reader, memberId: number, issuedAt: string, refundId: string) {
  const item = await table.get(keys.refund(memberId, issuedAt, refundId));
  return item && v.parse(RefundEntry, item);
}

/**
 * Stores what is about to be asked of Stripe. A charge has one unfinished refund at a time.
 *
 * @throws Problem `request_in_progress` while another refund of the charge is unfinished; a `Conflict` when the
 * operation is there already, or another condition does not hold
 */
export async function begin(table: Writer, operation: Operation, conditions: readonly Write[] = []): Promise<void> {
  await write(table, [...beginOperation(operation), ...conditions]);
}

/** The writes of `begin`, for a transaction that does more. */
export const beginOperation = (operation: Operation): Write[] => [
  {
    put: { ...keys.operation(operation.member_id, operation.id), ...operation },
    when: "absent",
    otherwise: new Conflict("The operation has begun already"),
  },
  ...holding(operation),
];

/** Stores an operation whose effect is in the same transaction, so that a repetition of its request finds it. */
export const putDone = (operation: Operation, now: Date): Write => ({
  put: { ...keys.operation(operation.member_id, operation.id), ...operation, state: "done", expires_at: expiryOf(now) },
  when: "absent",
});

/** What an open operation holds: its place among the unfinished, and the charge that it refunds. */
function holding({ id, member_id, created_at, intent }: Operation): Write[] {
  const open = { ...keys.openOperation(created_at, id), kind: "operation", operation_id: id, member_id };
  const writes: Write[] = [{ put: open }];
  if (intent.kind === "refund")
    writes.push({
      put: { ...keys.chargeLock(intent.charge_id), operation_id: id },
      when: "absent",
      otherwise: new Problem("request_in_progress", {
        detail: "Another refund of this charge is not finished yet",
        headers: { "retry-after": "5" },
      }),
    });
  return writes;
}

/** Ends an operation: what held others back is gone, and the record of it stays for 35 days. */
export function completeOperation(operation: Operation, now: Date): Write[] {
  const { id, member_id } = operation;
  const set = { state: "done", expires_at: expiryOf(now) };
  return [{ update: keys.operation(member_id, id), set, when: "exists" }, ...releaseOperation(operation)];
}

/** Notes what the release from a schedule drops, for the audit entry of the operation. */
export const noteDropped = (table: Writer, { id, member_id }: Operation, dropped_prices: readonly PlannedPrice[]) =>
  write(table, [{ update: keys.operation(member_id, id), set: { dropped_prices }, when: "exists" }]);

/** Records that Stripe refused an attempt. The lock is released, and the stored choice is kept. */
export async function refuse(table: Writer, operation: Operation, now: Date): Promise<void> {
  const { id, member_id, attempt } = operation;
  const set = { state: "refused", attempt: (attempt ?? 1) + 1, expires_at: expiryOf(now) };
  const when = { is: { state: "open", attempt } };
  await write(table, [{ update: keys.operation(member_id, id), set, when }, ...releaseOperation(operation)]).catch(
    (error) => {
      // Whoever made the same attempt at the same time has noted the refusal.
      if (!(error instanceof Conflict)) throw error;
    },
  );
}

/**
 * Begins another attempt at an operation that Stripe refused.
 *
 * @throws Problem `request_in_progress` while another refund of the charge is unfinished; a `Conflict` when another
 * attempt has begun
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
  if (intent.kind === "refund") writes.push({ delete: keys.chargeLock(intent.charge_id) });
  return writes;
}

const day = 24 * 60 * 60;

/** Until when an operation that holds nothing any more is kept, in seconds. */
const expiryOf = (now: Date): number => Math.floor(now.getTime() / 1000) + 35 * day;
