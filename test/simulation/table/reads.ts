import { type AttributeValue, compare, type Item, itemSize } from "./attribute-value.ts";
import { holds, parseFilter } from "./conditions.ts";
import { invalid } from "./failure.ts";
import { rangeOf } from "./key-condition.ts";
import { projected, resolved } from "./paths.ts";
import { type IndexSchema, keyNames, keyText, type TableSchema, textOf } from "./schema.ts";
import { type Keyspace, type Storage, scatter } from "./storage.ts";
import { type Bindings, bindingsOf, type PathNode, remembering, Tokens } from "./tokens.ts";

type Names = { readonly ExpressionAttributeNames?: Readonly<Record<string, string>> };

export type GetInput = Names & { readonly Key: Item; readonly ProjectionExpression?: string };

export type QueryInput = Names & {
  readonly IndexName?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, AttributeValue>>;
  readonly ExclusiveStartKey?: Item;
  readonly Limit?: number;
  readonly ScanIndexForward?: boolean;
  readonly Select?: string;
  readonly ConsistentRead?: boolean;
  readonly Segment?: number;
  readonly TotalSegments?: number;
};

export type Page = {
  readonly Items?: readonly Item[];
  readonly Count: number;
  readonly ScannedCount: number;
  readonly LastEvaluatedKey?: Item;
};

const parseProjection = remembering((text) => {
  const tokens = new Tokens("ProjectionExpression", text);
  const paths: PathNode[] = [tokens.path()];
  while (tokens.takes(",")) paths.push(tokens.path());
  tokens.end();
  return { kind: "ProjectionExpression" as const, used: tokens.used, paths };
});

/** Applies a projection to items. */
export function projection(
  { ProjectionExpression, ...given }: Names & { readonly ProjectionExpression?: string },
  bindings?: Bindings,
): (item: Item) => Item {
  if (ProjectionExpression === undefined) return (item) => item;
  const parsed = parseProjection(ProjectionExpression);
  const bound = bindings ?? bindingsOf(given, [parsed]);
  const paths = parsed.paths.map((path) => resolved(path, bound));
  return (item) => projected(item, paths);
}

const pageBytes = 1024 * 1024;

/** Reads a page of a Query. Without a key condition, reads a page of a Scan. */
export function page(storage: Storage, input: QueryInput): Page {
  const { schema } = storage;
  const index = indexOf(storage, input);
  const filter = input.FilterExpression === undefined ? undefined : parseFilter(input.FilterExpression);
  const shown = input.ProjectionExpression === undefined ? undefined : parseProjection(input.ProjectionExpression);
  if (input.Limit !== undefined && input.Limit < 1)
    throw invalid("1 validation error detected: Value at 'limit' must be greater than or equal to 1");
  const keyspace = index?.items ?? storage.base;
  const entries =
    input.KeyConditionExpression === undefined
      ? scanned(keyspace, schema, input)
      : queried(keyspace, schema, index?.schema, input, [filter, shown]);
  const bindings = bindingsFor(input, filter, shown);
  if (filter && input.KeyConditionExpression !== undefined) assertNoKeys(filter.used, keyNames(keyspace.schema), input);

  const found: Item[] = [];
  let [read, bytes] = [0, 0];
  let last: Item | undefined;
  for (const item of entries) {
    read++;
    bytes += itemSize(item);
    last = item;
    if (!filter || holds(filter.root, item, bindings)) found.push(item);
    if (read === input.Limit || bytes >= pageBytes) break;
    last = undefined;
  }
  const keys = [...new Set([...keyNames(schema), ...(index ? keyNames(index.schema) : [])])];
  const take = projection(input, bindings);
  return {
    ...(input.Select === "COUNT" ? {} : { Items: found.map(take) }),
    Count: found.length,
    ScannedCount: read,
    ...(last && {
      LastEvaluatedKey: projected(
        last,
        keys.map((name) => [name]),
      ),
    }),
  };
}

type Parsed = Parameters<typeof bindingsOf>[1][number];

function bindingsFor(input: QueryInput, ...others: Parsed[]): Bindings {
  const condition =
    input.KeyConditionExpression === undefined ? undefined : rangeOf.parsed(input.KeyConditionExpression);
  return bindingsOf(input, [condition, ...others]);
}

function indexOf({ indexes }: Storage, { IndexName, ConsistentRead, Select }: QueryInput) {
  if (IndexName === undefined) return undefined;
  const index = indexes.get(IndexName);
  if (!index) throw invalid(`The table does not have the specified index: ${IndexName}`);
  if (ConsistentRead && index.schema.isGlobal)
    throw invalid("Consistent reads are not supported on global secondary indexes");
  if (Select === "ALL_ATTRIBUTES" && index.schema.isGlobal && index.schema.projection !== "ALL")
    throw invalid(
      `One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index ${IndexName} because its projection type is not ALL`,
    );
  return index;
}

function assertNoKeys(used: ReadonlySet<string>, names: readonly string[], input: QueryInput): void {
  const words = new Set(input.FilterExpression?.match(/\w+/g));
  const key = names.find(
    (name) =>
      (words.has(name) && !input.FilterExpression?.match(new RegExp(`[:#]${name}\\b`))) ||
      [...used].some((placeholder) => input.ExpressionAttributeNames?.[placeholder] === name),
  );
  if (key !== undefined)
    throw invalid(`Filter Expression can only contain non-primary key attributes: Primary key attribute: ${key}`);
}

function* queried(
  keyspace: Keyspace,
  schema: TableSchema,
  index: IndexSchema | undefined,
  input: QueryInput,
  others: readonly Parsed[],
): Generator<Item> {
  const { hash, from, to, isWithin } = rangeOf(keyspace.schema, input, others);
  const { ExclusiveStartKey: start, ScanIndexForward: forward = true } = input;
  if (start) assertStart(keyspace, schema, index, start, hash, isWithin);
  const partition = keyspace.partition(hash);
  if (!partition) return;
  const { range } = keyspace.schema;
  const { entries } = partition;
  const at = (value: AttributeValue | undefined) =>
    value && range !== undefined ? partition.placeOf({ [range]: value }, "") : undefined;
  let first = at(from) ?? 0;
  let end = entries.length;
  const tie = start && index ? keyText(schema, start) : "";
  if (start) {
    const place = partition.placeOf(start, tie);
    const entry = entries[place];
    const isThere = entry && entry.tie === tie && sameRange(entry.item, start, range);
    if (forward) first = Math.max(first, isThere ? place + 1 : place);
    else end = place;
  }
  // No item beyond the upper bound matches.
  const isBeyond = (item: Item) => to !== undefined && range !== undefined && (compare(item[range] ?? {}, to) ?? 0) > 0;
  if (forward)
    for (let n = first; n < end; n++) {
      const item = entries[n]?.item;
      if (!item || isBeyond(item)) return;
      if (isWithin(item)) yield item;
      else if (from !== undefined && to === undefined && !isAbove(item, from, range)) return;
    }
  else
    for (let n = end - 1; n >= first; n--) {
      const item = entries[n]?.item;
      if (item && isWithin(item)) yield item;
    }
}

/** Whether matching items may follow an item that does not match. */
const isAbove = (item: Item, from: AttributeValue, range: string | undefined): boolean =>
  range !== undefined && compare(item[range] ?? {}, from) === 0;

const sameRange = (a: Item, b: Item, range: string | undefined): boolean =>
  range === undefined || textOf(a[range]) === textOf(b[range]);

function assertStart(
  keyspace: Keyspace,
  schema: TableSchema,
  index: IndexSchema | undefined,
  start: Item,
  hash: AttributeValue | undefined,
  isWithin: (item: Item) => boolean,
): void {
  const names = new Set([...keyNames(schema), ...(index ? keyNames(index) : [])]);
  const isWhole = Object.keys(start).length === names.size && [...names].every((name) => start[name]);
  if (!isWhole) throw invalid("The provided starting key is invalid");
  if (textOf(start[keyspace.schema.hash]) !== textOf(hash) || !isWithin(start))
    throw invalid("The provided starting key is outside query boundaries based on provided conditions");
}

function* scanned(keyspace: Keyspace, schema: TableSchema, input: QueryInput): Generator<Item> {
  const { ExclusiveStartKey: start, Segment = 0, TotalSegments = 1 } = input;
  const startName = start && textOf(start[keyspace.schema.hash]);
  let isBefore = start !== undefined;
  for (const [name, { entries }] of keyspace.partitions()) {
    if (scatter(name) % TotalSegments !== Segment) continue;
    if (isBefore && startName !== undefined && name !== startName && !isAfter(name, startName)) continue;
    const after = isBefore && name === startName && start ? keyText(schema, start) : undefined;
    isBefore = false;
    const place = after === undefined ? -1 : entries.findIndex(({ item }) => keyText(schema, item) === after);
    for (const { item } of entries.slice(place + 1)) yield item;
  }
}

const isAfter = (name: string, start: string): boolean =>
  scatter(name) > scatter(start) || (scatter(name) === scatter(start) && name > start);
