import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type OnDemandThroughput,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";
import { pick } from "#lib/pick.ts";
import { type IndexName, tableSchema } from "#lib/store/table-schema.ts";
import type { Settings } from "../../../infra/settings.ts";
import { describeTable } from "../restore-table.ts";
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

/** A table that was deleted. */
const lostTable = ({ stage, name }: Omit<TableOfStack, "isProtected">): readonly Fault[] => [
  {
    says: `The table ${name} was deleted. See Losses in docs/operations.md: DynamoDB keeps a backup of it for 35 days, which aws dynamodb list-backups --backup-type ALL lists.`,
    command: `npm run restore -- --stage ${stage} --to odis-restored --backup <BackupArn>`,
  },
];

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

type Ceiling = { readonly name: string; readonly tableCeiling: Settings["tableCeiling"] };

/** Places of a table, which are itself and its indexes, whose limit of request units differs from the settings. */
export function ceilingFaults(
  { OnDemandThroughput: throughput, GlobalSecondaryIndexes: indexes = [] }: TableDescription,
  { name, tableCeiling }: Ceiling,
): readonly Fault[] {
  // DynamoDB has -1 for no limit.
  const { readUnits: MaxReadRequestUnits, writeUnits: MaxWriteRequestUnits } = tableCeiling ?? {
    readUnits: -1,
    writeUnits: -1,
  };
  const differs = ({ MaxReadRequestUnits: reads = -1, MaxWriteRequestUnits: writes = -1 }: OnDemandThroughput = {}) =>
    reads !== MaxReadRequestUnits || writes !== MaxWriteRequestUnits;
  const names = indexes.flatMap(({ IndexName, OnDemandThroughput: ofIndex }) =>
    IndexName !== undefined && differs(ofIndex) ? [IndexName] : [],
  );
  const isOfTable = differs(throughput);
  if (!isOfTable && names.length === 0) return [];
  const updates = names.map((IndexName) => ({
    Update: { IndexName, OnDemandThroughput: { MaxReadRequestUnits, MaxWriteRequestUnits } },
  }));
  const changes = [
    ...(isOfTable
      ? [
          `--on-demand-throughput MaxReadRequestUnits=${MaxReadRequestUnits},MaxWriteRequestUnits=${MaxWriteRequestUnits}`,
        ]
      : []),
    ...(names.length > 0 ? [`--global-secondary-index-updates '${JSON.stringify(updates)}'`] : []),
  ];
  const places = [...(isOfTable ? ["the table"] : []), ...names].join(", ");
  return [
    {
      says: tableCeiling
        ? `The settings limit the table ${name} to ${MaxReadRequestUnits} read and ${MaxWriteRequestUnits} write units per second, but these have another limit or none: ${places}.`
        : `The settings have no limit for the table ${name}, but these have one: ${places}.`,
      // DynamoDB changes the table and its indexes in separate requests, and only while the table is active.
      command: changes
        .map((change) => `aws dynamodb update-table --table-name ${name} ${change}`)
        .join(` && aws dynamodb wait table-exists --table-name ${name} && `),
    },
  ];
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
      const Table = await describeTable(new DynamoDBClient(), name);
      if (!Table) return lostTable({ stage: stack.stage, name });
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
    // CloudFormation sets the limit of the stack's own table only, not of a restored one.
    name: "throughput limit of the table",
    async look(stack) {
      const { TableName: name } = nameOf(stack);
      const { Table = {} } = await new DynamoDBClient().send(new DescribeTableCommand({ TableName: name }));
      return ceilingFaults(Table, { name, tableCeiling: stack.settings().tableCeiling });
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
