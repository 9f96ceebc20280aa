import { tableSchema } from "#lib/store/table-schema.ts";

const text = (AttributeName: string) => ({ AttributeName, AttributeType: "S" as const });
const keyed = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: "HASH" },
  { AttributeName: range, KeyType: "RANGE" },
];
const indexes = Object.entries(tableSchema.indexes);

/** The input of `CreateTable` for the table of Odis. */
export const tableInput = {
  TableName: "odis",
  AttributeDefinitions: [
    tableSchema.partitionKey,
    tableSchema.sortKey,
    ...indexes.map(([, { partitionKey }]) => partitionKey),
  ].map(text),
  KeySchema: keyed(tableSchema.partitionKey, tableSchema.sortKey),
  GlobalSecondaryIndexes: indexes.map(([IndexName, { partitionKey, sortKey }]) => ({
    IndexName,
    KeySchema: keyed(partitionKey, sortKey),
  })),
  StreamSpecification: { StreamEnabled: true },
};
