import { SendMessageBatchCommand } from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { sqsClient } from "../aws.ts";
import { env } from "../env.ts";
import { Id, Timestamp } from "../values/scalars.ts";

/** Says that a delivery is to be attempted. It holds ids only: what is sent, and with which secret, is in the table. */
export const Task = v.object({
  community_id: Id,
  destination_id: Id,
  delivery_id: Id,
  /** How many attempts there were before: a message that comes twice is recognized by it. */
  attempts: v.number(),
  /** Not before this time, in milliseconds since 1970. */
  due_at: v.number(),
  /** Whether it waits in the queue of slow destinations. */
  is_slow: v.optional(v.boolean(), false),
});
export type Task = v.InferOutput<typeof Task>;

/**
 * Says that a request asks for one more attempt, now. It shares no shape with {@link Task}: an earlier version of the
 * function leaves it to the next one.
 */
export const ResendTask = v.object({
  community_id: Id,
  destination_id: Id,
  /** The delivery; null for the next page of the time span that is stored for the destination. */
  delivery_id: v.nullable(Id),
  /** Deliveries with an attempt after this time are left out, so that a message that comes twice sends once. */
  requested_at: Timestamp,
  /** Since when the destination was enabled at that time. */
  enabled_at: Timestamp,
  /** Whether it waits in the queue of slow destinations. */
  is_slow: v.boolean(),
});
export type ResendTask = v.InferOutput<typeof ResendTask>;

/** Puts tasks into the queue. */
export type Enqueue = (tasks: readonly (Task | ResendTask)[], now: Date, signal?: AbortSignal) => Promise<void>;

/** SQS's longest delay, in seconds: a task that is due later comes back, and is put into the queue again. */
const longestDelay = 900;
/** The most that SQS takes at once. */
const atOnce = 10;

/** How long to wait for SQS, in milliseconds. */
const requestHandler = { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true };

/** The URLs of the two queues. */
const queuesOfStack = () => ({ fast: env("DELIVERY_QUEUE_URL"), slow: env("SLOW_DELIVERY_QUEUE_URL") });

/**
 * The queues of deliveries, through one client per execution environment. Tasks of a destination are a message group, so
 * that SQS does not let one destination's backlog delay the others ("fair queues").
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

/** In how many seconds a task can be received. */
const delayOf = (task: Task | ResendTask, now: Date): number =>
  "due_at" in task ? Math.min(longestDelay, Math.max(0, Math.ceil((task.due_at - now.getTime()) / 1000))) : 0;

let queue: Enqueue | undefined;

/** The queues of the stack, connected to when they are first needed. */
export const enqueue: Enqueue = (...given) => (queue ??= connectQueue())(...given);
