import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import type { BillingContext } from "#lib/billing/context.ts";
import { copyChangedProfiles, isProfileChange } from "#lib/billing/profile-changes.ts";
import { billing } from "#lib/billing/stripe.ts";
import { consume } from "#lib/projections/consume.ts";
import { machine } from "#lib/runtime.ts";
import { connectBucket } from "#lib/store/objects.ts";
import { type Delivered, type Redriven, type SetAside, setAsideFor, setAsideUnreadable } from "#lib/store/set-aside.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();
const objects = connectBucket("FAILED_RECORDS_BUCKET");

export async function handler(event: DynamoDBStreamEvent & Redriven, context: Context): Promise<DynamoDBBatchResponse> {
  const left = () => context.getRemainingTimeInMillis() - 1000;
  const table = open(machine.deadline(left()));
  const failed = await followChanges(
    { table, billing: billing(() => left() - 5000), now: machine.now() },
    event.Records,
    setAsideFor(event, { objects, context, route: "projections", now: machine.now }),
  );
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? "" })),
  };
}

/**
 * Counts changes in the table, and updates the copies of changed profiles. After a failure, Lambda delivers the record
 * and all following records again; markers prevent counting a record twice. An unreadable record is retried for a
 * minute, then set aside. Redriven records come without `setAside`, so an unreadable one counts as failed.
 *
 * @returns the records of the stream that have to be delivered again
 */
export async function followChanges<R extends Delivered>(
  context: BillingContext,
  records: readonly R[],
  setAside?: SetAside,
): Promise<R[]> {
  const { failed, unreadable } = await consume(context.table, records, context.now, {
    isRedriven: setAside === undefined,
  });
  const counted = records.filter((record) => !failed.includes(record) && !unreadable.includes(record));
  const notCopied = await copyChangedProfiles(context, counted.filter(isProfileChange));
  return setAsideUnreadable(records, { failed: [...failed, ...notCopied], unreadable }, { now: context.now, setAside });
}
