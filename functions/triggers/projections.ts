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
 * Counts what has changed in the table, and brings the copies of changed profiles up to date. What could not be counted
 * is delivered again, with all that follows it; what of that has been counted already is known by its marker. A record that
 * cannot be read is attempted for a minute, then set aside. Redriven records come without `setAside`: one that cannot be read has failed.
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
