import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Chance } from "../chance.ts";
import type { Item } from "../table/attribute-value.ts";
import type { Engine } from "../table/engine.ts";
import { TableFailure } from "../table/failure.ts";
import { itemFromWire, itemToWire, type Shuffle } from "../table/native.ts";
import { noteDecisive } from "./decisive.ts";
import type { FaultName, Faults } from "./faults.ts";
import { itemName } from "./holds.ts";
import type { Invocation } from "./invocation.ts";
import { markName, type Touches } from "./touches.ts";
import type { World } from "./world.ts";

type Attributes = Readonly<Record<string, unknown>>;
type Action = Attributes & {
  readonly Item?: object;
  readonly Key?: object;
  readonly ExpressionAttributeValues?: object;
  readonly ExclusiveStartKey?: object;
};
type Input = Action & {
  readonly ClientRequestToken?: string;
  readonly TransactItems?: readonly Readonly<Record<string, Action>>[];
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly object[] }>>;
};
type Output = {
  Item?: Item;
  Items?: readonly Item[];
  Attributes?: Item;
  LastEvaluatedKey?: Item;
  Responses?: Record<string, readonly Item[]>;
  UnprocessedKeys?: Record<string, { readonly Keys: readonly Item[] }>;
};

type TableParts = Pick<World, "engine" | "late" | "faults" | "holds"> & { readonly touches?: Touches | undefined };

/** A replacement for the document client. The timeline decides when a command takes effect. */
export function tableClient(world: TableParts, invocation: Invocation): DynamoDBDocumentClient {
  const { chance } = invocation;
  const { faults, holds, touches } = world;
  const send = (
    command: { readonly constructor: { readonly name: string }; readonly input: Input },
    { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
  ) => {
    const operation = operationOf(command);
    // Converts the input now, because the caller may change it while the command waits.
    const input: object = { ...toWire(command.input), ...tokenFor(operation, command.input, invocation) };
    const isRead = reads.has(operation);
    return invocation.call({
      target: "table",
      isRead,
      items: holds.probability === 0 ? [] : itemsOf(input),
      signal: abortSignal,
      failure: (fault) => errorFor(fault, operation, input),
      effect: () => {
        const left = operation === "BatchGetItem" ? partOf(input, faults, chance) : undefined;
        const engine = isRead && mayBeLate(operation, input) ? world.late : world.engine;
        if (touches)
          for (const name of itemsOf(input)) {
            touches.note(name, { isWrite: false });
            if (!isRead && name.includes(" TIER#")) touches.note(markName(name), { isWrite: false });
          }
        if (!isRead) noteDecisive(world.engine, input);
        const output = holds.write(invocation.id, () => run(engine, operation, left?.taken ?? input));
        const names = isRead ? [...itemsOf(input, output), ...partitionsOf(input)] : [];
        for (const name of names) invocation.read.add(name);
        holds.wasRead(invocation.id, names);
        if (touches) for (const name of itemsOf({}, output)) touches.note(name, { isWrite: false });
        const all = left ? { ...output, UnprocessedKeys: { ...output.UnprocessedKeys, ...left.unprocessed } } : output;
        return fromWire(all, chance.shuffle);
      },
    });
  };
  return { send, destroy() {} } as unknown as DynamoDBDocumentClient;
}

/** A document client without faults and delays, for code outside of virtual time. */
export function directClient(engine: Engine): DynamoDBDocumentClient {
  const send = async (command: { readonly constructor: { readonly name: string }; readonly input: Input }) =>
    fromWire(run(engine, operationOf(command), toWire(command.input)), (list) => list);
  return { send, destroy() {} } as unknown as DynamoDBDocumentClient;
}

const operations: Readonly<Record<string, string>> = {
  GetCommand: "GetItem",
  PutCommand: "PutItem",
  UpdateCommand: "UpdateItem",
  DeleteCommand: "DeleteItem",
  QueryCommand: "Query",
  ScanCommand: "Scan",
  BatchGetCommand: "BatchGetItem",
  BatchWriteCommand: "BatchWriteItem",
  TransactWriteCommand: "TransactWriteItems",
  TransactGetCommand: "TransactGetItems",
};

const reads: ReadonlySet<string> = new Set(["GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"]);

type ConsistencyInput = {
  readonly ConsistentRead?: boolean;
  readonly RequestItems?: Readonly<Record<string, { readonly ConsistentRead?: boolean }>>;
};

/** Whether a read is eventually consistent. Only transactions are strongly consistent by default. */
function mayBeLate(operation: string, { ConsistentRead, RequestItems = {} }: ConsistencyInput): boolean {
  if (operation === "TransactGetItems" || ConsistentRead) return false;
  return operation !== "BatchGetItem" || !Object.values(RequestItems).every((batch) => batch.ConsistentRead);
}

type ReadInput = {
  readonly Key?: Item;
  readonly Item?: Item;
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly Item[] }>>;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly Key?: Item; readonly Item?: Item }>>[];
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
};

/** The names of the items that a command names, whether they exist or not, and of those that it has found. */
function itemsOf({ RequestItems = {}, TransactItems = [], Key, Item: put }: ReadInput, { Items = [] }: Output = {}) {
  const batches = Object.values(RequestItems).flatMap(({ Keys }) => Keys);
  const actions = [{ Key, Item: put }, ...TransactItems.flatMap((one) => Object.values(one))];
  const keys = actions.map((action) => action.Key ?? action.Item).filter((item) => item !== undefined);
  return [...keys, ...batches, ...Items].map(({ pk, sk }) => itemName(pk?.S ?? "", sk?.S ?? ""));
}

/** The names of the partitions that a query reads. */
const partitionsOf = ({ ExpressionAttributeValues = {} }: ReadInput): string[] =>
  Object.values(ExpressionAttributeValues).flatMap(({ S }) => S ?? []);

function operationOf({ constructor: { name } }: { readonly constructor: { readonly name: string } }): string {
  const operation = operations[name];
  if (operation === undefined) throw new Error(`The simulation's table knows no ${name}`);
  return operation;
}

/** The client token, which makes a repeated transaction idempotent. The SDK draws one if there is none. */
function tokenFor(operation: string, { ClientRequestToken: drawn }: Input, invocation: Invocation) {
  if (operation !== "TransactWriteItems") return {};
  return { ClientRequestToken: drawn === undefined ? invocation.nextKey() : invocation.keyFor(drawn) };
}

function run(engine: Engine, operation: string, input: object): Output {
  try {
    return engine.run(operation, input as never);
  } catch (error) {
    if (!(error instanceof TableFailure)) throw error;
    throw Object.assign(new Error(error.message), { name: error.name, ...error.more });
  }
}

function toWire(input: Input): object {
  const { TransactItems, RequestItems } = input;
  return {
    ...actionToWire(input),
    ...(TransactItems && { TransactItems: TransactItems.map((one) => mapped(one, actionToWire)) }),
    ...(RequestItems && {
      RequestItems: mapped(RequestItems, (one) => ({ ...one, Keys: one.Keys.map(itemToWire) })),
    }),
  };
}

function actionToWire(action: Action): object {
  const { Item, Key, ExpressionAttributeValues, ExclusiveStartKey } = action;
  const all = { Item, Key, ExpressionAttributeValues, ExclusiveStartKey };
  return {
    ...action,
    ...Object.fromEntries(Object.entries(all).flatMap(([name, one]) => (one ? [[name, itemToWire(one)]] : []))),
  };
}

const mapped = <A, B>(record: Readonly<Record<string, A>>, make: (one: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([name, one]) => [name, make(one)]));

function fromWire(output: Output, shuffle: Shuffle): object {
  const native = (item: Item) => itemFromWire(item, shuffle);
  const { Item, Items, Attributes, LastEvaluatedKey, Responses, UnprocessedKeys } = output;
  return {
    ...output,
    ...(Item && { Item: native(Item) }),
    ...(Items && { Items: Items.map(native) }),
    ...(Attributes && { Attributes: native(Attributes) }),
    ...(LastEvaluatedKey && { LastEvaluatedKey: native(LastEvaluatedKey) }),
    ...(Responses && { Responses: mapped(Responses, (items) => shuffle(items.map(native))) }),
    ...(UnprocessedKeys && {
      UnprocessedKeys: mapped(UnprocessedKeys, (one) => ({ ...one, Keys: one.Keys.map(native) })),
    }),
  };
}

type BatchInput = { readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly Item[] }>> };

/** Leaves some keys of a batch unprocessed if that fault occurs. */
function partOf({ RequestItems = {} }: BatchInput, faults: Faults, chance: Chance) {
  const [[name, batch] = [], another] = Object.entries(RequestItems);
  if (name === undefined || !batch || another || batch.Keys.length < 2) return undefined;
  if (!faults.strikes("table_partial_batch", chance)) return undefined;
  const at = chance.integer(1, batch.Keys.length - 1);
  return {
    taken: { RequestItems: { [name]: { ...batch, Keys: batch.Keys.slice(0, at) } } },
    unprocessed: { [name]: { ...batch, Keys: batch.Keys.slice(at) } },
  };
}

type TransactInput = { readonly TransactItems?: readonly unknown[] };

function errorFor(fault: FaultName, operation: string, { TransactItems = [] }: TransactInput): Error {
  const named = (name: string, more: object = {}) => Object.assign(new Error(`Injected: ${fault}`), { name, ...more });
  const canceled = (Code: string) =>
    named("TransactionCanceledException", {
      CancellationReasons: TransactItems.map((_, n) => ({ Code: n === 0 ? Code : "None" })),
    });
  const isTransaction = operation === "TransactWriteItems";
  if (fault === "table_throttled") return isTransaction ? canceled("ThrottlingError") : named("ThrottlingException");
  if (fault === "table_conflict")
    return isTransaction ? canceled("TransactionConflict") : named("TransactionConflictException");
  const isInProgress = fault === "table_in_progress_with_effect" && isTransaction;
  return named(isInProgress ? "TransactionInProgressException" : "TimeoutError");
}
