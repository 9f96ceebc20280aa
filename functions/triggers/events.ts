import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import { announce } from "#lib/events/announce.ts";
import { connectBus } from "#lib/events/bus.ts";
import { machine } from "#lib/runtime.ts";

const publish = connectBus();

/** Tells other systems what has changed. A record that failed is delivered again, with all that follows it. */
export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  const signal = machine.deadline(context.getRemainingTimeInMillis() - 1000);
  const failed = await announce(publish, event.Records, { epoch: machine.epoch, signal });
  return { batchItemFailures: failed ? [{ itemIdentifier: failed.dynamodb?.SequenceNumber ?? "" }] : [] };
}
