import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { tableSchema } from "#lib/store/table-schema.ts";

type Restore = {
  /** Name of the source table. Not needed for a backup, whose table may have been deleted. */
  readonly from: string | undefined;
  readonly to: string;
  /** A point in time, or the ARN of a backup. */
  readonly at: Date | string;
  /** Whether to resume in a table of which DynamoDB does not say what it was restored from. */
  readonly resumes?: boolean;
};

/** Maximum waiting time in seconds. A large table takes hours. */
const maxWaitTime = 24 * 60 * 60;

/**
 * Restores a table to a new one, and configures what a restore omits
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/PointInTimeRecovery_Howitworks.html). Resumes an
 * interrupted run: if the new table exists and was restored from the same source, only does what is missing. A backup can
 * be restored if its table has been deleted. The new table is then protected from deletion.
 *
 * @returns the ARN of the new table's stream
 */
export async function restoreTable({ from, to, at, resumes = false }: Restore): Promise<string> {
  const client = new DynamoDBClient();
  const TableName = to;
  const ready = () => waitUntilTableExists({ client, maxWaitTime, maxDelay: 20 }, { TableName });
  const describe = (name: string) => describeTable(client, name);
  try {
    const [source, begun] = await Promise.all([from === undefined ? undefined : describe(from), describe(to)]);
    if (begun) assertRestoredFrom(begun, { from, at, resumes });
    else if (typeof at === "string")
      await client.send(new RestoreTableFromBackupCommand({ BackupArn: at, TargetTableName: to }));
    else
      await client.send(
        new RestoreTableToPointInTimeCommand({ SourceTableName: from, TargetTableName: to, RestoreDateTime: at }),
      );
    await ready();
    const restored = await describe(to);
    if (!restored?.StreamSpecification?.StreamEnabled) {
      const StreamSpecification = { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" } as const;
      await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
      await ready();
    }
    const DeletionProtectionEnabled = source?.DeletionProtectionEnabled ?? true;
    if (restored?.DeletionProtectionEnabled !== DeletionProtectionEnabled)
      await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled }));
    await expireAndBackUp(client, TableName);
    await ready();
    const { LatestStreamArn } = (await describe(to)) ?? {};
    if (!LatestStreamArn) throw new Error(`The table ${to} has no stream`);
    return LatestStreamArn;
  } finally {
    client.destroy();
  }
}

/** Undefined if there is no such table. */
export const describeTable = async (client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> =>
  client.send(new DescribeTableCommand({ TableName })).then(
    ({ Table }) => Table,
    (error: unknown) => {
      if (!(error instanceof ResourceNotFoundException)) throw error;
      return undefined;
    },
  );

/** @throws Error if a table was not restored from the same backup, or the same table and time */
function assertRestoredFrom(
  { TableName, RestoreSummary }: TableDescription,
  { from, at, resumes = false }: Omit<Restore, "to">,
): void {
  const { SourceBackupArn, SourceTableArn = "", RestoreDateTime } = RestoreSummary ?? {};
  const isSame =
    RestoreSummary === undefined
      ? resumes
      : typeof at === "string"
        ? SourceBackupArn === at
        : SourceTableArn.endsWith(`/${from}`) && seconds(RestoreDateTime) === seconds(at);
  if (!isSame)
    throw new Error(`The table ${TableName} exists, and was not restored from this source. Choose another name`);
}

const seconds = (time: Date | undefined) => time && Math.floor(time.getTime() / 1000);

/** Turns on expiry and point-in-time recovery, unless they are on. DynamoDB refuses to turn on expiry twice. */
async function expireAndBackUp(client: DynamoDBClient, TableName: string): Promise<void> {
  const { TimeToLiveDescription: expiry } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (expiry?.TimeToLiveStatus !== "ENABLED" && expiry?.TimeToLiveStatus !== "ENABLING") {
    const TimeToLiveSpecification = { AttributeName: tableSchema.ttl, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  if (backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === "ENABLED") return;
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
}
