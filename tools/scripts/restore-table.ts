import {
  DescribeTableCommand,
  DynamoDBClient,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { tableSchema } from "#lib/store/table-schema.ts";

type Restore = {
  readonly from: string;
  readonly to: string;
  /** A point in time, or the ARN of a backup. */
  readonly at: Date | string;
};

/** Maximum waiting time in seconds. A large table takes hours. */
const maxWaitTime = 24 * 60 * 60;

/**
 * Restores a table to a new one, and configures what a restore omits
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/PointInTimeRecovery_Howitworks.html).
 *
 * @returns the ARN of the new table's stream
 */
export async function restoreTable({ from, to, at }: Restore): Promise<string> {
  const client = new DynamoDBClient();
  const TableName = to;
  const ready = () => waitUntilTableExists({ client, maxWaitTime, maxDelay: 20 }, { TableName });
  try {
    const { Table: source } = await client.send(new DescribeTableCommand({ TableName: from }));
    await (typeof at === "string"
      ? client.send(new RestoreTableFromBackupCommand({ BackupArn: at, TargetTableName: to }))
      : client.send(
          new RestoreTableToPointInTimeCommand({ SourceTableName: from, TargetTableName: to, RestoreDateTime: at }),
        ));
    await ready();
    await client.send(
      new UpdateTableCommand({
        TableName,
        StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
      }),
    );
    await ready();
    const DeletionProtectionEnabled = source?.DeletionProtectionEnabled ?? false;
    await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled }));
    const TimeToLiveSpecification = { AttributeName: tableSchema.ttl, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    await ready();
    const { Table: restored } = await client.send(new DescribeTableCommand({ TableName }));
    if (!restored?.LatestStreamArn) throw new Error(`The table ${to} has no stream`);
    return restored.LatestStreamArn;
  } finally {
    client.destroy();
  }
}
