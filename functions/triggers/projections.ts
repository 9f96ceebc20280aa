import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import { consume } from "#lib/projections/consume.ts";
import { machine } from "#lib/runtime.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();

/**
 * Counts what has changed in the table. What could not be counted is delivered again, with all that follows it; what
 * of that has been counted already is known by its marker.
 */
export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  const table = open(machine.deadline(context.getRemainingTimeInMillis() - 1000));
  const failed = await consume(table, event.Records, machine.now());
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? "" })),
  };
}
