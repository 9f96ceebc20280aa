import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { enqueue } from "#lib/delivery/queue.ts";
import { openSealing } from "#lib/delivery/sealing.ts";
import { type Delivering, workOn } from "#lib/delivery/work.ts";
import { logError, logged } from "#lib/log.ts";
import { machine } from "#lib/runtime.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();

/** Delivers events to destinations. SQS delivers only failed messages of a batch again. */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const table = open(machine.deadline(context.getRemainingTimeInMillis() - 1000));
  let failed: readonly SQSRecord[] = [];
  await logged({ request_id: context.awsRequestId, route: "deliver" }, machine.now, async () => {
    failed = await deliverAll(event.Records, { table, enqueue, sealing: () => openSealing(table.signal) });
    return {};
  });
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** @returns the messages that failed */
export async function deliverAll<R extends Pick<SQSRecord, "body" | "messageId">>(
  records: readonly R[],
  delivering: Delivering,
): Promise<R[]> {
  const failed: R[] = [];
  await Promise.all(
    records.map(async (record) => {
      try {
        await workOn(record.body, delivering);
      } catch (error) {
        logError(error instanceof Error ? error : new Error(String(error)), { message_id: record.messageId });
        failed.push(record);
      }
    }),
  );
  return failed;
}
