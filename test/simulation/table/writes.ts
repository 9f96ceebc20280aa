import { type AttributeValue, type Item, itemSize, storedItem } from "./attribute-value.ts";
import { assertSensible, holds, parseCondition } from "./conditions.ts";
import { type CancellationReason, conditionFailed, invalid, invalidParameter, TableFailure } from "./failure.ts";
import { projected } from "./paths.ts";
import { assertItemKeys, assertKey, keyNames, keyOf } from "./schema.ts";
import type { Storage } from "./storage.ts";
import { bindingsOf } from "./tokens.ts";
import { assertUpdatable, parseUpdate, touched, updated } from "./updates.ts";

export type WriteInput = {
  readonly Item?: Item;
  readonly Key?: Item;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, AttributeValue>>;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
};

export type WriteKind = "Put" | "Update" | "Delete" | "ConditionCheck";

/** A write that has been validated. Its condition has been evaluated, but not enforced. */
export type PlannedWrite = {
  readonly storage: Storage;
  readonly key: Item;
  readonly before: Item | undefined;
  readonly size: number;
  readonly isRefused: boolean;
  /** The item to return if the condition fails. */
  readonly shown: Item | undefined;
  /** @throws TableFailure if the update cannot be applied to the stored item */
  readonly after: () => Item | undefined;
  readonly attributes: (after: Item | undefined) => Item | undefined;
};

const largestItem = 400 * 1024;

/** @throws TableFailure for an invalid request, whatever is stored */
export function plan(storage: Storage, kind: WriteKind, input: WriteInput): PlannedWrite {
  const { schema } = storage;
  const update = input.UpdateExpression === undefined ? undefined : parseUpdate(input.UpdateExpression);
  const condition = input.ConditionExpression === undefined ? undefined : parseCondition(input.ConditionExpression);
  const bindings = bindingsOf(input, [update, condition]);
  if (condition) assertSensible(condition.root, bindings);
  const item = input.Item && storedItem(input.Item);
  if (item) {
    assertItemKeys(schema, item);
    if (itemSize(item) > largestItem) throw invalid("Item size has exceeded the maximum allowed size");
  } else assertKey(schema, input.Key ?? {});
  const key = item ? keyOf(schema, item) : (input.Key ?? {});
  if (update) assertUpdatable(update, bindings, keyNames(schema));

  const before = storage.get(key);
  const isRefused = condition !== undefined && !holds(condition.root, before ?? {}, bindings);
  return {
    storage,
    key,
    before,
    size: itemSize(item ?? key) + JSON.stringify(input.ExpressionAttributeValues ?? "").length,
    isRefused,
    shown: input.ReturnValuesOnConditionCheckFailure === "ALL_OLD" ? before : undefined,
    after() {
      if (kind === "Delete") return undefined;
      if (kind === "ConditionCheck") return before;
      if (item) return item;
      const changed = update ? updated(update, before ?? key, bindings) : (before ?? key);
      assertItemKeys(schema, changed);
      if (itemSize(changed) > largestItem) throw invalid("Item size to update has exceeded the maximum allowed size");
      return changed;
    },
    attributes(after) {
      const part = (of: Item | undefined) => of && update && projected(of, touched(update, of, bindings));
      const shown: Readonly<Record<string, Item | undefined>> = {
        ALL_OLD: before,
        ALL_NEW: after,
        UPDATED_OLD: part(before),
        UPDATED_NEW: part(after),
      };
      return shown[input.ReturnValues ?? "NONE"];
    },
  };
}

const maxActions = 100;
const maxTransactionBytes = 4 * 1024 * 1024;

/** @throws TableFailure if the actions cannot form a transaction */
export function assertOneTransaction(writes: readonly PlannedWrite[]): void {
  const names = writes.map(({ storage, key }) => `${storage.schema.name} ${JSON.stringify(key)}`);
  if (new Set(names).size < names.length)
    throw invalid("Transaction request cannot include multiple operations on one item");
  if (writes.reduce((sum, { size }) => sum + size, 0) > maxTransactionBytes)
    throw invalid("Collection size of all items in the transaction exceeded 4MB");
}

/** @throws TableFailure for no actions, or more than DynamoDB's limit */
export function assertCount(actions: readonly unknown[]): void {
  if (actions.length === 0 || actions.length > maxActions)
    throw invalid(
      "1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100, and greater than or equal to 1",
    );
}

/** @throws TableFailure if a condition fails, or an action cannot be applied */
export function outcomes(writes: readonly PlannedWrite[]): (Item | undefined)[] {
  const tried = writes.map((write) => outcomeOf(write));
  const reasons = tried.map(({ reason }) => reason);
  if (reasons.every(({ Code }) => Code === "None")) return tried.map(({ after }) => after);
  const codes = reasons.map(({ Code }) => Code).join(", ");
  throw new TableFailure(
    "TransactionCanceledException",
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  );
}

type Outcome = { readonly reason: CancellationReason; readonly after?: Item | undefined };

function outcomeOf({ isRefused, shown, after }: PlannedWrite): Outcome {
  if (isRefused)
    return { reason: { Code: "ConditionalCheckFailed", Message: conditionFailed, ...(shown && { Item: shown }) } };
  try {
    return { reason: { Code: "None" }, after: after() };
  } catch (error) {
    if (!(error instanceof TableFailure)) throw error;
    return { reason: { Code: "ValidationError", Message: error.message } };
  }
}

/** @throws TableFailure for duplicate keys */
export function assertDistinct(keys: readonly Item[]): void {
  if (
    new Set(keys.map((key) => JSON.stringify(Object.entries(key).toSorted(([a], [b]) => (a < b ? -1 : 1))))).size <
    keys.length
  )
    throw invalid("Provided list of item keys contains duplicates");
}

export const tooMany = (what: string, most: number): TableFailure =>
  invalidParameter(`Too many ${what}: Member must have length less than or equal to ${most}`);
