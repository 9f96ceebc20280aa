import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import { announce } from "#lib/events/announce.ts";
import { connectBus } from "#lib/events/bus.ts";

const publish = connectBus();

/** Tells other systems what has changed. A record that failed is delivered again, with all that follows it. */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const failed = await announce(publish, event.Records);
  return { batchItemFailures: failed ? [{ itemIdentifier: failed.dynamodb?.SequenceNumber ?? "" }] : [] };
}
