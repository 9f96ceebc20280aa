import { SendMessageBatchCommand } from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { sqsClient } from "../aws.ts";
import { env } from "../env.ts";
import { Id, Timestamp } from "../values/scalars.ts";

/** A message that requests an attempt of a delivery. Contains only ids: the event and the secret are in the table. */
export const Task = v.object({
  community_id: Id,
  destination_id: Id,
  delivery_id: Id,
  /** Number of earlier attempts. Identifies a message that is received twice. */
  attempts: v.number(),
  /** Earliest time of the attempt, in milliseconds since 1970. */
  due_at: v.number(),
  /** Whether the message is in the queue of slow destinations. */
  is_slow: v.optional(v.boolean(), false),
});
export type Task = v.InferOutput<typeof Task>;

/**
 * A message that requests an immediate additional attempt. Must not match {@link Task}, so that an earlier version of the
 * function rejects it and the next version receives it again.
 */
export const ResendTask = v.object({
  community_id: Id,
  destination_id: Id,
  /** The delivery. Null for the next page of the destination's stored time span. */
  delivery_id: v.nullable(Id),
  /** Time of the request. Deliveries with a later attempt are skipped, so that a message that is received twice sends once. */
  requested_at: Timestamp,
  /** `enabled_at` of the destination at the time of the request. */
  enabled_at: Timestamp,
  /** Whether the message is in the queue of slow destinations. */
  is_slow: v.boolean(),
});
export type ResendTask = v.InferOutput<typeof ResendTask>;

/** Sends tasks to the queues. */
export type Enqueue = (tasks: readonly (Task | ResendTask)[], now: Date, signal?: AbortSignal) => Promise<void>;

/** Maximum delay of SQS, in seconds. A task that is due later is received early and sent to the queue again. */
const longestDelay = 900;
/** Maximum number of messages in a call of SQS. */
const atOnce = 10;

/** How long to wait for SQS, in milliseconds. */
const requestHandler = { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true };

/** The URLs of the two queues. */
const queuesOfStack = () => ({ fast: env("DELIVERY_QUEUE_URL"), slow: env("SLOW_DELIVERY_QUEUE_URL") });

/**
 * Connects to the delivery queues. Tasks of a destination are a message group, so that the backlog of one destination does
 * not delay others ("fair queues" of SQS).
 */
export function connectQueue(client = sqsClient({ requestHandler }), urls = queuesOfStack()): Enqueue {
  return async (tasks, now, abortSignal) => {
    const [slow, fast] = [tasks.filter(({ is_slow }) => is_slow), tasks.filter(({ is_slow }) => !is_slow)];
    const options = abortSignal ? { abortSignal } : {};
    await send(urls.fast, fast, { now, options });
    await send(urls.slow, slow, { now, options });
  };

  async function send(QueueUrl: string, tasks: readonly (Task | ResendTask)[], { now, options }: Sending) {
    for (let n = 0; n < tasks.length; n += atOnce) {
      const Entries = tasks.slice(n, n + atOnce).map((task, at) => ({
        Id: String(at),
        MessageBody: JSON.stringify(task),
        MessageGroupId: String(task.destination_id),
        DelaySeconds: delayOf(task, now),
      }));
      const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }), options);
      if (Failed.length > 0) throw new Error(`The queue rejected a task: ${Failed[0]?.Code ?? "no code"}`);
    }
  }
}

type Sending = { readonly now: Date; readonly options: { readonly abortSignal?: AbortSignal } };

/** Delay of a task, in seconds. */
const delayOf = (task: Task | ResendTask, now: Date): number =>
  "due_at" in task ? Math.min(longestDelay, Math.max(0, Math.ceil((task.due_at - now.getTime()) / 1000))) : 0;

let queue: Enqueue | undefined;

/** Sends tasks to the queues of the stack. Connects at the first call. */
export const enqueue: Enqueue = (...input) => (queue ??= connectQueue())(...input);
