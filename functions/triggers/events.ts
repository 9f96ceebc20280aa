import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import { announce, type Store } from "#lib/events/announce.ts";
import { connectBus, type Publish } from "#lib/events/bus.ts";
import { machine, type Runtime } from "#lib/runtime.ts";
import { addAll } from "#lib/store/events.ts";
import { connectBucket, type Objects } from "#lib/store/objects.ts";
import { type Delivered, type Redriven, setAsideFor } from "#lib/store/set-aside.ts";
import { connect, type OpenTable } from "#lib/store/table.ts";

const open = connect();
const publish = connectBus();
const objects = connectBucket("FAILED_RECORDS_BUCKET");

export async function handler(event: DynamoDBStreamEvent & Redriven, context: Context): Promise<DynamoDBBatchResponse> {
  const failed = await announceChanges(event, context, { publish, objects, open, runtime: machine });
  return { batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? "" })) };
}

type Connections = {
  readonly publish: Publish;
  readonly objects: Objects;
  readonly open: OpenTable;
  readonly runtime: Runtime;
};

/**
 * Stores events about changes, and sends them to the bus.
 *
 * @returns the records that failed. Lambda delivers the first of them again, with all records that follow it
 */
export async function announceChanges<R extends Delivered>(
  { Records, ...redriven }: { readonly Records: readonly R[] } & Redriven,
  context: Context,
  { publish: send, objects: bucket, open: openTable, runtime: { epoch, now, deadline } }: Connections,
): Promise<R[]> {
  const signal = deadline(context.getRemainingTimeInMillis() - 1000);
  const table = openTable(signal);
  const setAside = setAsideFor(redriven, { objects: bucket, context, route: "events", now });
  const store: Store = (communityId, events) => addAll(table, communityId, events);
  return announce(send, Records, { store, epoch, now: now(), setAside, signal });
}
