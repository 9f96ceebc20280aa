import type { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { connectQueue, type ResendTask, type Task } from "#lib/delivery/queue.ts";
import { type Queues, startQueues } from "../../../tools/local/queue.ts";

const received: Task[][] = [];
let queue: Queues;
beforeAll(async () => {
  queue = await startQueues({
    names: ["fast", "slow"],
    async receive({ Records }) {
      received.push((Records as { body: string }[]).map(({ body }) => JSON.parse(body) as Task));
      return { batchItemFailures: [] };
    },
  });
  vi.stubEnv("AWS_ENDPOINT_URL_SQS", queue.url);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await queue.close();
});

it("tasks are sent in batches of ten to their queue, with a delay if they are due later", async () => {
  const now = new Date();
  const task = (n: number, delayMs = 0): Task => ({
    community_id: 1,
    destination_id: 2,
    delivery_id: n,
    attempts: 0,
    due_at: now.getTime() + delayMs,
    is_slow: n % 2 === 0,
  });
  const soon = Array.from({ length: 24 }, (_, n) => task(n + 1));
  await connectQueue(undefined, { fast: queue.urlOf("fast"), slow: queue.urlOf("slow") })(
    [...soon, task(99, 3 * 24 * 60 * 60 * 1000)],
    now,
  );
  await queue.idle();
  const ids = received.flat().map(({ delivery_id }) => delivery_id);
  expect(ids.toSorted((a, b) => a - b)).toEqual(soon.map(({ delivery_id }) => delivery_id));
  expect(Math.max(...received.map(({ length }) => length))).toBeLessThanOrEqual(10);
  const together = received.map((batch) => new Set(batch.map(({ is_slow }) => is_slow)).size);
  expect(Math.max(...together)).toBe(1);
});

/** Sends a message, and returns what SQS gets with it. */
async function sentWith(message: Task | ResendTask, now: Date) {
  const send = vi.fn<(command: SendMessageBatchCommand) => Promise<object>>(async () => ({}));
  await connectQueue({ send } as unknown as SQSClient, { fast: "https://fast", slow: "https://slow" })([message], now);
  return send.mock.calls.flatMap(([{ input }]) =>
    (input.Entries ?? []).map(({ MessageGroupId, DelaySeconds }) => ({
      url: input.QueueUrl,
      group: MessageGroupId,
      delay: DelaySeconds,
    })),
  );
}

const now = new Date("2026-12-01T12:00:00.500Z");
const common = { community_id: 1, destination_id: 2, delivery_id: 3, is_slow: false };
const day = 24 * 60 * 60 * 1000;

it.each([
  [-1, 0],
  [0, 0],
  [1, 1],
  [1000, 1],
  [1001, 2],
  [15 * 60 * 1000, 900],
  [15 * 60 * 1000 + 1, 900],
  [day, 900],
])("a task that is due in %i ms is delayed by %i s, at most by the 15 minutes that SQS allows", async (ms, delay) => {
  const task = { ...common, attempts: 1, due_at: now.getTime() + ms };
  expect(await sentWith(task, now)).toEqual([{ url: "https://fast", group: "2", delay }]);
});

it("the messages of a destination are a message group, and a requested attempt is not delayed", async () => {
  const at = now.toISOString();
  const resend = { ...common, delivery_id: null, requested_at: at, enabled_at: at };
  expect(await sentWith(resend, now)).toEqual([{ url: "https://fast", group: "2", delay: 0 }]);
  expect(await sentWith({ ...resend, is_slow: true }, now)).toEqual([{ url: "https://slow", group: "2", delay: 0 }]);
});
