import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import type { BillingContext } from "#lib/billing/context.ts";
import { followProfiles, isProfileChange } from "#lib/billing/profile-changes.ts";
import { billing } from "#lib/billing/stripe.ts";
import { consume, type Delivered } from "#lib/projections/consume.ts";
import { machine } from "#lib/runtime.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();

export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  const left = () => context.getRemainingTimeInMillis() - 1000;
  const table = open(machine.deadline(left()));
  const failed = await followChanges(
    { table, billing: billing(() => left() - 5000), now: machine.now() },
    event.Records,
  );
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? "" })),
  };
}

/**
 * Counts what has changed in the table, and brings the copies of changed profiles up to date. What could not be counted
 * is delivered again, with all that follows it; what of that has been counted already is known by its marker.
 *
 * @returns the records of the stream that have to be delivered again
 */
export async function followChanges<R extends Delivered>(context: BillingContext, records: readonly R[]): Promise<R[]> {
  const notCounted = await consume(context.table, records, context.now);
  const changed = records.filter((record) => !notCounted.includes(record) && isProfileChange(record));
  const notCopied = await followProfiles(context, changed);
  return records.filter((record) => notCounted.includes(record) || notCopied.includes(record));
}
