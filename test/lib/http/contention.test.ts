import type { Context } from "aws-lambda";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Route } from "#lib/contract/route.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { machine } from "#lib/runtime.ts";
import { Conflict } from "#lib/store/failure.ts";
import { startLog } from "../../support/log.ts";
import { mountOn } from "../../support/mount.ts";

beforeAll(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 21) }));
afterAll(() => void vi.useRealTimers());

const log = startLog();

const route = {
  method: "PATCH",
  path: "/odis/v1/counter",
  access: "public",
  output: v.object({ version: v.number() }),
} as const satisfies Route;

/** Runs concurrent writers of one record, with the latency of DynamoDB. */
async function race(writers: number) {
  let version = 0;
  const handler = endpoint(
    route,
    async () => {
      await machine.wait(10 + Math.random() * 15);
      return { record: { version } };
    },
    async ({ record }) => {
      await machine.wait(15 + Math.random() * 20);
      if (record.version !== version) throw new Conflict("Another writer came first");
      version++;
      return { version };
    },
  ).on(mountOn({ table: () => Promise.reject(new Error()) as never, identify: () => Promise.reject(new Error()) }));

  const endsAt = Date.now() + 10_000;
  const context = { getRemainingTimeInMillis: () => endsAt - Date.now() } as Context;
  const event = { routeKey: route.path, rawPath: route.path, rawQueryString: "", headers: {}, requestContext: {} };
  const answering = Array.from({ length: writers }, () => handler(event as never, context));
  await vi.advanceTimersByTimeAsync(10_000);
  const answers = await Promise.all(answering);
  const refused = answers.filter(({ statusCode }) => statusCode !== 200);
  return { version, succeeded: answers.length - refused.length, refused };
}

describe("writers of one record at the same time", () => {
  it.each([1, 2, 3, 4, 5])(
    "at least 95 of 100 concurrent writers of one record succeed within the deadline: race %d",
    async () => {
      const { version, succeeded } = await race(100);
      expect(succeeded).toBe(version);
      expect(succeeded).toBeGreaterThanOrEqual(95);
    },
  );

  it("a write that keeps losing to concurrent writers gets 503 with Retry-After, not logged as a defect", async () => {
    const { refused } = await race(600);
    expect(refused.length).toBeGreaterThan(0);
    for (const { statusCode, headers } of refused)
      expect([statusCode, headers?.["retry-after"]]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect(log.lines("error")).toEqual([]);
  });
});
