import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import { announce } from "#lib/events/announce.ts";
import { connectBus } from "#lib/events/bus.ts";
import { machine } from "#lib/runtime.ts";
import { connectBucket } from "#lib/store/objects.ts";
import { type Redriven, setAsideFor } from "#lib/store/set-aside.ts";

const publish = connectBus();
const objects = connectBucket("FAILED_RECORDS_BUCKET");

/** Sends events about changes to the bus. Lambda delivers a failed record again, with all records that follow it. */
export async function handler(event: DynamoDBStreamEvent & Redriven, context: Context): Promise<DynamoDBBatchResponse> {
  const signal = machine.deadline(context.getRemainingTimeInMillis() - 1000);
  const { epoch, now } = machine;
  const setAside = setAsideFor(event, { objects, context, route: "events", now });
  const failed = await announce(publish, event.Records, { epoch, now: now(), setAside, signal });
  return { batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? "" })) };
}
