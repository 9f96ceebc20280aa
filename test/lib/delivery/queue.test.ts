import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { connectQueue, type Task } from "#lib/delivery/queue.ts";
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
