import { invalid, TableFailure } from "./failure.ts";
import { describe, type TableInput, type Tables } from "./tables.ts";

type InTable = { readonly TableName: string };
type TimeToLive = { readonly TimeToLiveSpecification: { readonly Enabled: boolean; readonly AttributeName: string } };
type IndexUpdate = { readonly Create?: NonNullable<TableInput["GlobalSecondaryIndexes"]>[number] };

/** Operations on tables and their streams. */
export const administration = (tables: Tables) => ({
  CreateTable: (input: TableInput) => ({ TableDescription: describe(tables.create(input)) }),
  DescribeTable: ({ TableName }: InTable) => ({ Table: describe(tables.find(TableName)) }),
  DeleteTable: ({ TableName }: InTable) => ({ TableDescription: describe(tables.remove(TableName), "DELETING") }),

  UpdateTable({
    TableName,
    AttributeDefinitions = [],
    GlobalSecondaryIndexUpdates = [],
  }: InTable & Partial<TableInput> & { readonly GlobalSecondaryIndexUpdates?: readonly IndexUpdate[] }) {
    const created = GlobalSecondaryIndexUpdates.flatMap(({ Create }) => Create ?? []);
    const table =
      created.length > 0 ? tables.addIndexes(TableName, AttributeDefinitions, created) : tables.find(TableName);
    return { TableDescription: describe(table) };
  },

  ListTables({
    Limit = 100,
    ExclusiveStartTableName: after = "",
  }: {
    Limit?: number;
    ExclusiveStartTableName?: string;
  }) {
    const left = tables.names().filter((name) => name > after);
    const TableNames = left.slice(0, Limit);
    return { TableNames, ...(left.length > Limit && { LastEvaluatedTableName: TableNames.at(-1) }) };
  },

  UpdateTimeToLive({ TableName, TimeToLiveSpecification }: InTable & TimeToLive) {
    const table = tables.find(TableName);
    const { Enabled, AttributeName } = TimeToLiveSpecification;
    if (Enabled && table.ttl !== undefined) throw invalid("TimeToLive is already enabled");
    table.ttl = Enabled ? AttributeName : undefined;
    return { TimeToLiveSpecification };
  },

  DescribeTimeToLive({ TableName }: InTable) {
    const { ttl } = tables.find(TableName);
    return {
      TimeToLiveDescription: {
        TimeToLiveStatus: ttl === undefined ? "DISABLED" : "ENABLED",
        ...(ttl !== undefined && { AttributeName: ttl }),
      },
    };
  },

  DescribeStream: ({ StreamArn }: { readonly StreamArn: string }) => ({
    StreamDescription: { StreamArn, StreamStatus: "ENABLED", Shards: [{ ShardId: "shard-1" }] },
  }),

  /** A shard iterator consists of the table's name and the number of records read. */
  GetShardIterator({ StreamArn, ShardIteratorType, SequenceNumber = "0" }: IteratorInput) {
    const { input, stream } = tables.find(StreamArn.replace(/\/stream\/.*/, ""));
    const at = { TRIM_HORIZON: 0, LATEST: stream.records.length, AFTER_SEQUENCE_NUMBER: Number(SequenceNumber) };
    return { ShardIterator: `${at[ShardIteratorType]}:${input.TableName}` };
  },

  GetRecords({ ShardIterator, Limit = 1000 }: { readonly ShardIterator: string; readonly Limit?: number }) {
    const [, place = "", name = ""] = /^(\d+):(.*)$/.exec(ShardIterator) ?? [];
    if (name === "") throw new TableFailure("ExpiredIteratorException", "There is no such iterator");
    const Records = tables.find(name).stream.records.slice(Number(place), Number(place) + Limit);
    return { Records, NextShardIterator: `${Number(place) + Records.length}:${name}` };
  },
});

type IteratorInput = {
  readonly StreamArn: string;
  readonly ShardIteratorType: "TRIM_HORIZON" | "LATEST" | "AFTER_SEQUENCE_NUMBER";
  readonly SequenceNumber?: string;
};
