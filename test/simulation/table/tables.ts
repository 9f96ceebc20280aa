import { invalid, noSuchTable, TableFailure } from "./failure.ts";
import type { IndexSchema, KeySchema, TableSchema } from "./schema.ts";
import { Storage } from "./storage.ts";
import { Stream } from "./stream.ts";

type KeyElement = { readonly AttributeName: string; readonly KeyType: string };
type IndexInput = {
  readonly IndexName: string;
  readonly KeySchema: readonly KeyElement[];
  readonly Projection?: { readonly ProjectionType?: IndexSchema["projection"]; readonly NonKeyAttributes?: string[] };
};
export type TableInput = {
  readonly TableName: string;
  readonly AttributeDefinitions: readonly { readonly AttributeName: string; readonly AttributeType: "S" | "N" | "B" }[];
  readonly KeySchema: readonly KeyElement[];
  readonly GlobalSecondaryIndexes?: readonly IndexInput[];
  readonly LocalSecondaryIndexes?: readonly IndexInput[];
  readonly StreamSpecification?: { readonly StreamEnabled?: boolean };
};

export type Table = {
  readonly input: TableInput;
  storage: Storage;
  readonly stream: Stream;
  ttl: string | undefined;
};

/** The tables of an account. */
export class Tables {
  readonly #tables = new Map<string, Table>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Finds a table by name or ARN. @throws TableFailure if it does not exist */
  find(nameOrArn: string): Table {
    const table = this.#tables.get(nameOrArn.replace(/^arn:.*:table\//, ""));
    if (!table) throw noSuchTable();
    return table;
  }

  names(): string[] {
    return [...this.#tables.keys()].toSorted();
  }

  create(input: TableInput): Table {
    const { TableName } = input;
    if (this.#tables.has(TableName))
      throw new TableFailure("ResourceInUseException", `Table already exists: ${TableName}`);
    const table = { input, storage: new Storage(schemaOf(input)), stream: new Stream(this.#now), ttl: undefined };
    this.#tables.set(TableName, table);
    return table;
  }

  addIndexes(name: string, definitions: TableInput["AttributeDefinitions"] = [], added: readonly IndexInput[]): Table {
    const table = this.find(name);
    const { GlobalSecondaryIndexes = [], AttributeDefinitions } = table.input;
    const known = new Map([...AttributeDefinitions, ...definitions].map((one) => [one.AttributeName, one]));
    const input = {
      ...table.input,
      AttributeDefinitions: [...known.values()],
      GlobalSecondaryIndexes: [...GlobalSecondaryIndexes, ...added],
    };
    const changed = { ...table, input, storage: new Storage(schemaOf(input), table.storage.items()) };
    this.#tables.set(table.input.TableName, changed);
    return changed;
  }

  remove(name: string): Table {
    const table = this.find(name);
    this.#tables.delete(table.input.TableName);
    return table;
  }
}

function keySchemaOf(elements: readonly KeyElement[]): KeySchema {
  const named = (type: string) => elements.find(({ KeyType }) => KeyType === type)?.AttributeName;
  return { hash: named("HASH") ?? "", range: named("RANGE") };
}

function schemaOf(input: TableInput): TableSchema {
  const { GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [], AttributeDefinitions } = input;
  const index =
    (isGlobal: boolean) =>
    (one: IndexInput): IndexSchema => ({
      ...keySchemaOf(one.KeySchema),
      name: one.IndexName,
      isGlobal,
      projection: one.Projection?.ProjectionType ?? "ALL",
      included: one.Projection?.NonKeyAttributes ?? [],
    });
  const all = [input, ...GlobalSecondaryIndexes, ...LocalSecondaryIndexes];
  const used = new Set(all.flatMap(({ KeySchema }) => KeySchema.map(({ AttributeName }) => AttributeName)));
  const types = Object.fromEntries(AttributeDefinitions.map((one) => [one.AttributeName, one.AttributeType]));
  if (used.size !== Object.keys(types).length || [...used].some((name) => !types[name]))
    throw invalid(
      "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
    );
  return {
    ...keySchemaOf(input.KeySchema),
    name: input.TableName,
    types,
    indexes: [...GlobalSecondaryIndexes.map(index(true)), ...LocalSecondaryIndexes.map(index(false))],
  };
}

const account = "arn:aws:dynamodb:eu-central-1:000000000000";

/** Describes a table in the form of DescribeTable. */
export function describe({ input, storage }: Table, TableStatus = "ACTIVE"): object {
  const { GlobalSecondaryIndexes, LocalSecondaryIndexes, StreamSpecification, TableName } = input;
  const TableArn = `${account}:table/${TableName}`;
  const shown = (indexes: readonly IndexInput[] | undefined) =>
    indexes?.map((index) => ({ ...index, IndexStatus: "ACTIVE", IndexArn: `${TableArn}/index/${index.IndexName}` }));
  return {
    TableName,
    TableArn,
    TableId: "00000000-0000-4000-8000-000000000000",
    TableStatus,
    CreationDateTime: 0,
    ItemCount: storage.size,
    KeySchema: input.KeySchema,
    AttributeDefinitions: input.AttributeDefinitions,
    BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
    ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes: shown(GlobalSecondaryIndexes) }),
    ...(LocalSecondaryIndexes && { LocalSecondaryIndexes: shown(LocalSecondaryIndexes) }),
    ...(StreamSpecification?.StreamEnabled && { StreamSpecification, LatestStreamArn: `${TableArn}/stream/1` }),
  };
}
