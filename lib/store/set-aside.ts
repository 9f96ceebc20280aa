import { logError, logged, measure } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import type { Objects } from "./objects.ts";

/** A record of the stream with its place in its shard, and the second in which the change was made. */
export type Delivered = {
  readonly dynamodb?:
    | { readonly SequenceNumber?: string | undefined; readonly ApproximateCreationDateTime?: number | undefined }
    | undefined;
};

/** Stores a record outside of the stream, so that the stream need not deliver it again. */
export type SetAside = (record: Delivered) => Promise<void>;

/** How long an unreadable record is attempted, in milliseconds. During a deployment, the next version may be able to read it. */
const retryMs = 60_000;

/** Whether an unreadable record is still attempted. */
export const isAttempted = ({ dynamodb }: Delivered, now: Date): boolean =>
  now.getTime() - (dynamodb?.ApproximateCreationDateTime ?? 0) * 1000 < retryMs;

/** The field that `npm run redrive` adds to the event of a consumer, whose records are already in the bucket. */
export type Redriven = { readonly isRedriven?: boolean };

type Consumer = {
  readonly objects: Objects;
  /** The function to which `npm run redrive` sends the record. */
  readonly context: { readonly invokedFunctionArn: string; readonly awsRequestId: string };
  /** The consumer's name in the metric `records_set_aside`. */
  readonly route: string;
  readonly now: Runtime["now"];
};

/**
 * Stores records in the bucket of failed records, in the format that Lambda uses for records that exceed their retries
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html).
 *
 * @returns undefined for an event that was redriven
 */
export function setAsideFor(
  { isRedriven = false }: Redriven,
  { objects, context: { invokedFunctionArn: functionArn, awsRequestId: requestId }, route, now }: Consumer,
): SetAside | undefined {
  if (isRedriven) return undefined;
  return async (record) => {
    const time = now().toISOString();
    const [day = "", clock = ""] = time.slice(0, 19).split("T");
    const id = record.dynamodb?.SequenceNumber ?? requestId;
    const name = `${day.replaceAll("-", "/")}/${day}T${clock.replaceAll(":", ".")}-${id}`;
    const batch = {
      requestContext: { requestId, functionArn, condition: "Unreadable" },
      timestamp: time,
      payload: JSON.stringify({ Records: [record] }),
    };
    await logged({ request_id: requestId, route }, now, async () => {
      await objects.put(`aws/lambda/set-aside/${route}/${name}`, Buffer.from(JSON.stringify(batch)));
      measure("records_set_aside");
      return {};
    });
  };
}

type Handled<R> = { readonly failed: readonly R[]; readonly unreadable: readonly R[] };

/**
 * Sets aside the unreadable records that come before the first failed record. The stream delivers that record and all
 * later ones again. Without `setAside`, an unreadable record counts as failed.
 *
 * @returns the failed records, in the order of the batch
 */
export async function setAsideUnreadable<R extends Delivered>(
  records: readonly R[],
  { failed, unreadable }: Handled<R>,
  { now, setAside }: { readonly now: Date; readonly setAside: SetAside | undefined },
): Promise<R[]> {
  const again = new Set(failed);
  for (const record of unreadable) if (!setAside || isAttempted(record, now)) again.add(record);
  for (const record of records) {
    if (again.has(record)) break;
    if (!unreadable.includes(record)) continue;
    try {
      await setAside?.(record);
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      logError(cause, { message: "a record was not set aside", sequence_number: record.dynamodb?.SequenceNumber });
      again.add(record);
    }
  }
  return records.filter((record) => again.has(record));
}
