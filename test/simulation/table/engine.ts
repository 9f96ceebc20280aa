import { administration } from "./administration.ts";
import { type Item, itemSize } from "./attribute-value.ts";
import { conditionFailed, invalid, TableFailure } from "./failure.ts";
import { type GetInput, page, projection, type QueryInput } from "./reads.ts";
import { assertKey, keyOf } from "./schema.ts";
import { type Table, Tables } from "./tables.ts";
import {
  assertCount,
  assertDistinct,
  assertOneTransaction,
  outcomes,
  type PlannedWrite,
  plan,
  tooMany,
  type WriteInput,
  type WriteKind,
} from "./writes.ts";

type InTable = { readonly TableName: string };
type Batch<T> = { readonly RequestItems: Readonly<Record<string, T>> };
type WriteRequest = { readonly PutRequest?: { readonly Item: Item }; readonly DeleteRequest?: { readonly Key: Item } };
type TransactWrite = {
  readonly TransactItems: readonly Partial<Record<WriteKind, InTable & WriteInput>>[];
  readonly ClientRequestToken?: string;
};
type TransactGet = { readonly TransactItems: readonly { readonly Get: InTable & GetInput }[] };
type BatchKeys = Omit<GetInput, "Key"> & { readonly Keys: readonly Item[]; readonly ConsistentRead?: boolean };

export type Engine = {
  /** Performs an operation synchronously. @throws TableFailure for requests that DynamoDB refuses */
  readonly run: (operation: string, input: never) => object;
  readonly tables: Tables;
};

const largestBatch = 16 * 1024 * 1024;

/** An in-memory DynamoDB: a function from an operation and its input to its output, both in DynamoDB's JSON format. */
export function createEngine({ now }: { readonly now: () => number }): Engine {
  const tables = new Tables(now);
  /** Requests by client token, so that a repeated transaction has no further effect. */
  const tokens = new Map<string, string>();

  const read = (table: Table, input: GetInput): Item | undefined => {
    assertKey(table.storage.schema, input.Key);
    const item = table.storage.get(input.Key);
    return item && projection(input)(item);
  };

  const commit = (table: Table, { key, before }: PlannedWrite, after: Item | undefined): void => {
    table.storage.replace(before, after);
    table.stream.append({ key, before, after });
  };

  const single =
    (kind: WriteKind) =>
    ({ TableName, ...input }: InTable & WriteInput): object => {
      const table = tables.find(TableName);
      const write = plan(table.storage, kind, input);
      if (write.isRefused)
        throw new TableFailure("ConditionalCheckFailedException", conditionFailed, { Item: write.shown });
      const after = write.after();
      commit(table, write, after);
      const Attributes = write.attributes(after);
      return Attributes ? { Attributes } : {};
    };

  const operations = {
    GetItem({ TableName, ...input }: InTable & GetInput) {
      const Item = read(tables.find(TableName), input);
      return Item ? { Item } : {};
    },
    PutItem: single("Put"),
    UpdateItem: single("Update"),
    DeleteItem: single("Delete"),
    Query: ({ TableName, ...input }: InTable & QueryInput) =>
      page(tables.find(TableName).storage, { KeyConditionExpression: "", ...input }),
    Scan: ({ TableName, ...input }: InTable & QueryInput) => page(tables.find(TableName).storage, input),

    BatchGetItem({ RequestItems }: Batch<BatchKeys>) {
      const Responses: Record<string, Item[]> = {};
      const UnprocessedKeys: Record<string, BatchKeys> = {};
      let bytes = 0;
      for (const [name, { Keys, ...how }] of Object.entries(RequestItems)) {
        const table = tables.find(name);
        if (Keys.length > 100) throw tooMany("keys", 100);
        assertDistinct(Keys);
        const left: Item[] = [];
        const found: Item[] = [];
        for (const Key of Keys) {
          const item = table.storage.get(Key);
          if (item) bytes += itemSize(item);
          if (bytes > largestBatch) left.push(Key);
          else if (item) found.push(read(table, { ...how, Key }) ?? {});
        }
        Responses[name] = found;
        if (left.length > 0) UnprocessedKeys[name] = { ...how, Keys: left };
      }
      return { Responses, UnprocessedKeys };
    },

    BatchWriteItem({ RequestItems }: Batch<readonly WriteRequest[]>) {
      const all = Object.entries(RequestItems);
      if (all.reduce((sum, [, writes]) => sum + writes.length, 0) > 25) throw tooMany("writes", 25);
      for (const [name, writes] of all) {
        const table = tables.find(name);
        const { schema } = table.storage;
        assertDistinct(writes.map((one) => one.DeleteRequest?.Key ?? keyOf(schema, one.PutRequest?.Item ?? {})));
        const planned = writes.map(({ PutRequest, DeleteRequest }) =>
          PutRequest ? plan(table.storage, "Put", PutRequest) : plan(table.storage, "Delete", { ...DeleteRequest }),
        );
        for (const write of planned) commit(table, write, write.after());
      }
      return { UnprocessedItems: {} };
    },

    TransactWriteItems({ TransactItems, ClientRequestToken: token }: TransactWrite) {
      assertCount(TransactItems);
      const asked = JSON.stringify(TransactItems);
      const earlier = token === undefined ? undefined : tokens.get(token);
      if (earlier === asked) return {};
      if (earlier !== undefined)
        throw new TableFailure(
          "IdempotentParameterMismatchException",
          "The request uses the same client token as a previous, but non-identical request.",
        );
      const writes = TransactItems.map((action) => {
        const [[kind, { TableName, ...input }] = noAction()] = Object.entries(action);
        const table = tables.find(TableName);
        return { table, ...plan(table.storage, kind as WriteKind, input) };
      });
      assertOneTransaction(writes);
      const after = outcomes(writes);
      for (const [n, write] of writes.entries()) commit(write.table, write, after[n]);
      if (token !== undefined) tokens.set(token, asked);
      return {};
    },

    TransactGetItems({ TransactItems }: TransactGet) {
      assertCount(TransactItems);
      return {
        Responses: TransactItems.map(({ Get: { TableName, ...input } }) => {
          const Item = read(tables.find(TableName), input);
          return Item ? { Item } : {};
        }),
      };
    },

    ...administration(tables),
  };

  return {
    tables,
    run(operation, input) {
      const run = Object.hasOwn(operations, operation) ? operations[operation as keyof typeof operations] : undefined;
      if (!run) throw new TableFailure("UnknownOperationException", `There is no operation ${operation}`);
      return run(input);
    },
  };
}

function noAction(): never {
  throw invalid("TransactItems can only contain one of Check, Put, Update or Delete");
}
