import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import { followProfiles, isProfileChange } from "#lib/billing/profile-changes.ts";
import { billing } from "#lib/billing/stripe.ts";
import { consume } from "#lib/projections/consume.ts";
import { machine } from "#lib/runtime.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();

/**
 * Counts what has changed in the table, and brings the copies of changed profiles up to date. What could not be counted
 * is delivered again, with all that follows it; what of that has been counted already is known by its marker.
 */
export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  const left = () => context.getRemainingTimeInMillis() - 1000;
  const table = open(machine.deadline(left()));
  const now = machine.now();
  const notCounted = await consume(table, event.Records, now);
  const changed = event.Records.filter((record) => !notCounted.includes(record) && isProfileChange(record));
  const notCopied = await followProfiles({ table, billing: billing(() => left() - 5000), now }, changed);
  const failed = event.Records.filter((record) => notCounted.includes(record) || notCopied.includes(record));
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? "" })),
  };
}
