import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { documentClient } from "../aws.ts";
import { env } from "../env.ts";
import { backOff, machine, type Runtime } from "../runtime.ts";
import { type Condition, expressions, type Item } from "./expression.ts";
import { attempt, unavailable } from "./failure.ts";
import type { Key } from "./keys.ts";
import { type IndexName, tableSchema } from "./table-schema.ts";

export type QueryInput = {
  readonly pk: string;
  /** Only an {@link IndexReader} reads an index. The table is read with strong consistency. */
  readonly index?: undefined;
  /** Reads the table with eventual consistency, at half the price: the latest writes may be missing. */
  readonly eventually?: boolean;
  /** Only sort keys that start with this text. */
  readonly prefix?: string;
  /** Only this sort key and later ones. */
  readonly from?: string;
  /** Only this sort key and earlier ones. */
  readonly to?: string;
  /** The key of the last item of the previous page. */
  readonly after?: Key | undefined;
  readonly descending?: boolean;
  /** How many items to read, before the filter. */
  readonly limit?: number;
  /** Attributes that must have these values. */
  readonly filter?: Item | undefined;
};

export type IndexQueryInput = Omit<QueryInput, "index"> & { readonly index?: IndexName | undefined };

export type QueryPage = {
  readonly items: readonly Item[];
  /** Number of items read, before the filter. */
  readonly read: number;
  /** Key of the last item read, to pass as `after`. Undefined on the last page. */
  readonly last: Key | undefined;
};

/** What a route with `table: "read"` receives. */
export interface Reader {
  /** Current time and random values. */
  readonly runtime: Runtime;
  /** Aborts at the request's deadline. */
  readonly signal: AbortSignal | undefined;
  /** What the execution environment keeps between requests, by name. */
  readonly memory: Map<string, unknown>;
  get(key: Key): Promise<Item | undefined>;
  /** Items by their keys, without duplicates, in no particular order. Missing items are left out. */
  getAll(keys: readonly Key[]): Promise<Item[]>;
  readonly query: (input: QueryInput) => Promise<QueryPage>;
  /** Number of items on all pages of a query. */
  readonly count: (input: QueryInput) => Promise<number>;
}

/** What a route with `indexes: true` receives, because only its function may read the indexes. */
export interface IndexReader extends Reader {
  readonly query: (input: IndexQueryInput) => Promise<QueryPage>;
  readonly count: (input: IndexQueryInput) => Promise<number>;
}

/**
 * One write, as data. `otherwise` is the error if the condition `when` does not hold. A write that sets a personal
 * attribute has the further condition that the item is not marked as erased.
 */
export type Write = { readonly otherwise?: Error; readonly sweeps?: never } & (
  | { readonly put: Key & Item; readonly when: "absent" }
  /** Never replaces a versioned record, as that would drop attributes that a later version of Odis has added. */
  | { readonly put: Key & Item & { readonly version?: never }; readonly when?: Condition }
  | { readonly update: Key; readonly set: Item; readonly add?: Record<string, number>; readonly when: Condition }
  /** Adds to numbers of an item. Creates the item if it is missing. */
  | { readonly update: Key; readonly add: Record<string, number>; readonly set?: never; readonly when?: never }
  | { readonly delete: Key; readonly when?: Condition }
  /** Writes nothing. If the condition does not hold, the whole transaction fails. */
  | { readonly check: Key; readonly when: Condition }
);

/** Attributes that items must have. */
export type Conditions = readonly { readonly check: Key; readonly is: Item }[];

/** What a route with `table: "write"` receives; `write` in `write.ts` writes to it. */
export interface Writer extends Reader {
  readonly name: string;
  readonly client: DynamoDBDocumentClient;
  /** Collects the writes of a request whose response is stored in the same transaction. */
  readonly pending?: Write[];
  /** Conditions that are checked in every transaction of the request. */
  readonly conditions?: Conditions;
  /**
   * The conditions of the caller's right, for requests that have effects outside of a single transaction. Only the
   * transactions of `whileAuthorized` check them. Empty once the request has had an effect, because it is then completed.
   */
  readonly authorization?: () => Conditions;
  /** Called after each write. */
  readonly onWrite?: () => void;
}

/** The whole table, for code outside of routes. */
export type WholeTable = Writer & IndexReader;

/** Opens the table for one request. `signal` aborts its calls at the deadline of the request. */
export type OpenTable = (signal?: AbortSignal) => WholeTable;

/**
 * Connects to the table. Each execution environment has one client.
 *
 * @throws Problem `unavailable` if DynamoDB fails or throttles after all retries, `timeout` at the deadline
 */
export function connect(
  client = documents(),
  TableName = env("TABLE_NAME"),
  runtime: Runtime = machine,
  memory = new Map<string, unknown>(),
): OpenTable {
  return (signal) => {
    const options = signal ? { abortSignal: signal } : {};
    const attempts = { runtime, signal };
    /** Whether an item has not expired. DynamoDB may delete expired items days later. */
    const isLive = ({ [tableSchema.ttl]: expires }: Item): boolean =>
      typeof expires !== "number" || expires * 1000 > runtime.now().getTime();

    return {
      name: TableName,
      runtime,
      signal,
      memory,
      client,

      async get(key) {
        const command = () => new GetCommand({ TableName, Key: key, ConsistentRead: true });
        const { Item } = await attempt(() => client.send(command(), options), attempts);
        return Item && isLive(Item) ? Item : undefined;
      },

      async getAll(keys) {
        // DynamoDB refuses a batch that names an item twice.
        const once = [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()];
        const batches = Array.from({ length: Math.ceil(once.length / 100) }, (_, n) =>
          once.slice(n * 100, n * 100 + 100),
        );
        return (await Promise.all(batches.map(batch))).flat().filter(isLive);
      },

      async query(input) {
        const command = () => new QueryCommand({ TableName, ...queryOf(input) });
        const {
          Items = [],
          ScannedCount = 0,
          LastEvaluatedKey,
        } = await attempt(() => client.send(command(), options), attempts);
        return { items: Items.filter(isLive), read: ScannedCount, last: LastEvaluatedKey as Key | undefined };
      },

      async count(input) {
        let total = 0;
        let after = input.after;
        do {
          const command = new QueryCommand({ TableName, ...queryOf({ ...input, after }), Select: "COUNT" });
          const { Count = 0, LastEvaluatedKey } = await attempt(() => client.send(command, options), attempts);
          total += Count;
          after = LastEvaluatedKey as Key | undefined;
        } while (after);
        return total;
      },
    };

    async function batch(keys: readonly Key[]): Promise<Item[]> {
      const found: Item[] = [];
      let left: Key[] = [...keys];
      for (let tried = 0; left.length > 0; tried++) {
        if (tried > 0) await backOff(runtime, tried);
        const RequestItems = { [TableName]: { Keys: left, ConsistentRead: true } };
        const { Responses, UnprocessedKeys } = await attempt(
          () => client.send(new BatchGetCommand({ RequestItems }), options),
          attempts,
        );
        const items = Responses?.[TableName] ?? [];
        found.push(...items);
        left = (UnprocessedKeys?.[TableName]?.Keys ?? []) as Key[];
        // A throttled table returns fewer items than it was asked for, or none.
        if (items.length > 0) tried = 0;
        else if (left.length > 0 && tried === maxEmptyBatches) throw unavailable("No item of a batch was processed");
      }
      return found;
    }
  };
}

/** Number of consecutive empty batches after which a read fails. */
const maxEmptyBatches = 5;

/** How long to wait for DynamoDB, in milliseconds. DynamoDB responds at once or not at all. */
const timeouts = { connectionTimeout: 500, requestTimeout: 2000 };

/** A client with timeouts and three attempts. The default endpoint is read from the environment at the first call. */
export function documents(options = timeouts, endpoint?: string): DynamoDBDocumentClient {
  return documentClient({
    ...(endpoint !== undefined && { endpoint }),
    maxAttempts: 3,
    requestHandler: { ...options, throwOnRequestTimeout: true },
    translateConfig: { marshallOptions: { removeUndefinedValues: true } },
  });
}

function queryOf({
  pk,
  index,
  eventually = false,
  prefix,
  from,
  to,
  after,
  descending,
  limit,
  filter,
}: IndexQueryInput) {
  const text = expressions();
  const partitionKey = index ? tableSchema.indexes[index].partitionKey : "pk";
  const conditions = [`${text.name(partitionKey)} = ${text.value(pk)}`];
  if (prefix !== undefined) conditions.push(`begins_with(${text.name("sk")}, ${text.value(prefix)})`);
  // DynamoDB accepts only one condition on the sort key.
  if (from !== undefined && to !== undefined)
    conditions.push(`${text.name("sk")} BETWEEN ${text.value(from)} AND ${text.value(to)}`);
  else if (from !== undefined) conditions.push(`${text.name("sk")} >= ${text.value(from)}`);
  else if (to !== undefined) conditions.push(`${text.name("sk")} <= ${text.value(to)}`);
  const FilterExpression = filter && text.equal(filter);

  return {
    KeyConditionExpression: conditions.join(" AND "),
    ...(FilterExpression && { FilterExpression }),
    ...text.placeholders(),
    ...(index ? { IndexName: index } : { ConsistentRead: !eventually }),
    ...(after && { ExclusiveStartKey: { pk: after.pk, sk: after.sk, ...(index && { [partitionKey]: pk }) } }),
    ...(limit !== undefined && { Limit: limit }),
    ScanIndexForward: !descending,
  };
}
