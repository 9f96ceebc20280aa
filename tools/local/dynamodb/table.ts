import type { KeySchemaElement } from "@aws-sdk/client-dynamodb";
import { tableSchema } from "#lib/store/table-schema.ts";

type KeyNames = { readonly partitionKey: string; readonly sortKey: string };

const indexes: Readonly<Record<string, KeyNames>> = tableSchema.indexes;

const keySchema = ({ partitionKey, sortKey }: KeyNames): KeySchemaElement[] => [
  { AttributeName: partitionKey, KeyType: "HASH" },
  { AttributeName: sortKey, KeyType: "RANGE" },
];

const keyAttributes = new Set(
  [tableSchema, ...Object.values(indexes)].flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]),
);

/** The definition of the table in `lib/store/keys.ts` for DynamoDB. */
export const definition = {
  KeySchema: keySchema(tableSchema),
  AttributeDefinitions: [...keyAttributes].map((AttributeName) => ({ AttributeName, AttributeType: "S" as const })),
  GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, index]) => ({
    IndexName,
    KeySchema: keySchema(index),
    Projection: { ProjectionType: "ALL" as const },
  })),
  BillingMode: "PAY_PER_REQUEST" as const,
};

export const StreamSpecification = { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" as const };

export const timeToLive = { AttributeName: tableSchema.ttl, Enabled: true };
