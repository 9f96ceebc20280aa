import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { enqueue } from "#lib/delivery/queue.ts";
import { openSealing } from "#lib/delivery/sealing.ts";
import { workOn } from "#lib/delivery/work.ts";
import { logError, logged } from "#lib/log.ts";
import { machine } from "#lib/runtime.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();

/** Delivers events to destinations. A message that failed comes again; the others of its batch do not wait for it. */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const table = open(machine.deadline(context.getRemainingTimeInMillis() - 1000));
  const world = { table, enqueue, sealing: () => openSealing(table.signal) };
  const batchItemFailures: SQSBatchResponse["batchItemFailures"] = [];
  await logged({ request_id: context.awsRequestId, route: "deliver" }, machine.now, async () => {
    await Promise.all(
      event.Records.map(async ({ body, messageId }) => {
        try {
          await workOn(body, world);
        } catch (error) {
          logError(error instanceof Error ? error : new Error(String(error)), { message_id: messageId });
          batchItemFailures.push({ itemIdentifier: messageId });
        }
      }),
    );
    return {};
  });
  return { batchItemFailures };
}
