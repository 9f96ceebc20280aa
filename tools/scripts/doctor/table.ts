import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";
import { pick } from "#lib/pick.ts";
import { type IndexName, tableSchema } from "#lib/store/table-schema.ts";
import type { Check, Fault } from "./check.ts";
import { type CheckedStack, type MaybeInMaintenance, outputOf, revertDrift } from "./stack.ts";

type TableOfStack = { readonly stage: string; readonly name: string; readonly isProtected: boolean };

/** A table that cannot be used, can be deleted by mistake, or has no stream. */
export function tableFaults(
  { TableStatus, DeletionProtectionEnabled, StreamSpecification }: TableDescription,
  { stage, name, isProtected }: TableOfStack,
): readonly Fault[] {
  return [
    TableStatus !== "ACTIVE" &&
      TableStatus !== "UPDATING" && {
        says: `The table is ${TableStatus}.`,
        command: `npm run restore -- --stage ${stage} --to odis-restored --time <time>`,
      },
    isProtected &&
      !DeletionProtectionEnabled && {
        says: "The table has no deletion protection.",
        command: `aws dynamodb update-table --table-name ${name} --deletion-protection-enabled`,
      },
    stage !== "local" &&
      !StreamSpecification?.StreamEnabled && {
        says: "The table has no stream, so no events are sent and figures are wrong.",
        command: `aws dynamodb update-table --table-name ${name} --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES`,
      },
  ].filter((fault) => fault !== false);
}

/** Command that creates an index of a table which no stack manages. DynamoDB creates one index at a time. */
function createIndex(name: string, indexName: IndexName): string {
  const { partitionKey, sortKey } = tableSchema.indexes[indexName];
  const definitions = [partitionKey, sortKey].map((attribute) => `AttributeName=${attribute},AttributeType=S`);
  const KeySchema = [
    { AttributeName: partitionKey, KeyType: "HASH" },
    { AttributeName: sortKey, KeyType: "RANGE" },
  ];
  const updates = [{ Create: { IndexName: indexName, KeySchema, Projection: { ProjectionType: "ALL" } } }];
  return `aws dynamodb update-table --table-name ${name} --attribute-definitions ${definitions.join(" ")} --global-secondary-index-updates '${JSON.stringify(updates)}'`;
}

/**
 * Indexes that the code reads and the table does not have. CloudFormation adds new ones to the stack's own table only, not
 * to a restored one.
 */
export function indexFaults(
  { GlobalSecondaryIndexes = [] }: TableDescription,
  { name, isOwn, ...stack }: MaybeInMaintenance & { readonly name: string; readonly isOwn: boolean },
): readonly Fault[] {
  const statuses = new Map(GlobalSecondaryIndexes.map(({ IndexName: index, IndexStatus }) => [index, IndexStatus]));
  return (Object.keys(tableSchema.indexes) as IndexName[]).flatMap((index): Fault[] => {
    if (statuses.get(index) === "CREATING")
      return [
        {
          says: `DynamoDB is creating the index ${index} of the table ${name}. Requests that read it fail until it is active.`,
          command: `aws dynamodb describe-table --table-name ${name} --query "Table.GlobalSecondaryIndexes[].[IndexName,IndexStatus]"`,
        },
      ];
    if (statuses.has(index) && statuses.get(index) !== "DELETING") return [];
    return [
      {
        says: `The table ${name} has no index ${index}, so requests that read it fail.`,
        command: isOwn ? revertDrift(stack) : createIndex(name, index),
      },
    ];
  });
}

/** @param status of point-in-time recovery */
export const backupFaults = (name: string, status: string | undefined): readonly Fault[] =>
  status === "ENABLED"
    ? []
    : [
        {
          says: "Point-in-time recovery of the table is off, so that nothing can be restored.",
          command: `aws dynamodb update-continuous-backups --table-name ${name} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true`,
        },
      ];

/** @param status of the time to live */
export const expiryFaults = (
  name: string,
  status: string | undefined,
  attribute: string | undefined,
): readonly Fault[] =>
  (status === "ENABLED" || status === "ENABLING") && attribute === tableSchema.ttl
    ? []
    : [
        {
          says: "Expired items of the table are not deleted, so that it grows and keeps personal data.",
          command: `aws dynamodb update-time-to-live --table-name ${name} --time-to-live-specification Enabled=true,AttributeName=${tableSchema.ttl}`,
        },
      ];

const nameOf = (stack: CheckedStack) => ({ TableName: outputOf(stack, "TableName") });

export const table: readonly Check[] = [
  {
    name: "table",
    isLocal: true,
    async look(stack) {
      const { TableName: name } = nameOf(stack);
      const { Table = {} } = await new DynamoDBClient().send(new DescribeTableCommand({ TableName: name }));
      return tableFaults(Table, { stage: stack.stage, name, isProtected: stack.settings().isProtected });
    },
  },
  {
    name: "indexes of the table",
    async look(stack) {
      const { TableName: name } = nameOf(stack);
      const { Table = {} } = await new DynamoDBClient().send(new DescribeTableCommand({ TableName: name }));
      const isOwn = stack.settings().table?.name !== name;
      return indexFaults(Table, { ...pick(stack, ["stage", "isInMaintenance"]), name, isOwn });
    },
  },
  {
    name: "backups of the table",
    async look(stack) {
      const { ContinuousBackupsDescription: backups } = await new DynamoDBClient().send(
        new DescribeContinuousBackupsCommand(nameOf(stack)),
      );
      return backupFaults(nameOf(stack).TableName, backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus);
    },
  },
  {
    name: "expiry of items",
    async look(stack) {
      const { TimeToLiveDescription: expiry } = await new DynamoDBClient().send(
        new DescribeTimeToLiveCommand(nameOf(stack)),
      );
      return expiryFaults(nameOf(stack).TableName, expiry?.TimeToLiveStatus, expiry?.AttributeName);
    },
  },
];
