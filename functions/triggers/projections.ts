import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import { copyChangedProfiles, isProfileChange } from "#lib/billing/profile-changes.ts";
import { billing, type OpenBilling } from "#lib/billing/stripe.ts";
import { consume } from "#lib/projections/consume.ts";
import { machine, type Runtime } from "#lib/runtime.ts";
import { connectBucket, type Objects } from "#lib/store/objects.ts";
import { type Delivered, type Redriven, setAsideFor, setAsideUnreadable } from "#lib/store/set-aside.ts";
import { connect, type OpenTable } from "#lib/store/table.ts";

const open = connect();
const objects = connectBucket("FAILED_RECORDS_BUCKET");

export async function handler(event: DynamoDBStreamEvent & Redriven, context: Context): Promise<DynamoDBBatchResponse> {
  const failed = await followChanges(event, context, { table: open, billing, objects, runtime: machine });
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? "" })),
  };
}

type Connections = {
  readonly table: OpenTable;
  readonly billing: OpenBilling;
  readonly objects: Objects;
  readonly runtime: Pick<Runtime, "now" | "deadline">;
};

/**
 * Counts changes in the table, and updates the copies of changed profiles. After a failure, Lambda delivers the record
 * and all following records again; markers prevent counting a record twice. An unreadable record is retried for a
 * minute, then set aside. If the records are redriven, an unreadable one counts as failed.
 *
 * @returns the records of the stream that have to be delivered again
 */
export async function followChanges<R extends Delivered>(
  { Records: records, ...redriven }: { readonly Records: readonly R[] } & Redriven,
  context: Context,
  { table, billing: openBilling, objects: bucket, runtime: { now: clock, deadline } }: Connections,
): Promise<R[]> {
  const left = () => context.getRemainingTimeInMillis() - 1000;
  const now = clock();
  const at = { table: table(deadline(left())), billing: openBilling(() => left() - 5000), now };
  const setAside = setAsideFor(redriven, { objects: bucket, context, route: "projections", now: clock });
  const { failed, unreadable } = await consume(at.table, records, now, { isRedriven: setAside === undefined });
  const counted = records.filter((record) => !failed.includes(record) && !unreadable.includes(record));
  const notCopied = await copyChangedProfiles(at, counted.filter(isProfileChange));
  return setAsideUnreadable(records, { failed: [...failed, ...notCopied], unreadable }, { now, setAside });
}
