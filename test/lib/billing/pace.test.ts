import { afterEach, expect, it, vi } from "vitest";
import { awaitEventPlace } from "#lib/billing/pace.ts";
import { startTable } from "../../support/direct.ts";

const test = startTable();
afterEach(() => vi.unstubAllEnvs());

// Half of Stripe's limits for one endpoint, of which two seconds of one clock can fall into one second of the other:
// https://docs.stripe.com/rate-limits
it.each([
  ["sandbox", false, 2],
  ["live mode", true, 10],
] as const)("in %s, at most so many events a second read their customer at Stripe", async (_, livemode, perSecond) => {
  vi.stubEnv("THROTTLE", "on");
  const start = Date.parse(livemode ? "2026-11-21T12:00:00Z" : "2026-11-21T13:00:00Z");
  const begun: number[] = [];
  const runtime = {
    ...test.table.runtime,
    now: () => new Date(start),
    wait: async (milliseconds: number) => void begun.push(Math.floor(milliseconds / 1000)),
  };
  const table = { ...test.table, runtime };
  const refused: unknown[] = [];
  for (let n = 0; n < 100; n++) await awaitEventPlace(table, livemode).catch((error: unknown) => refused.push(error));
  const inSecond = (second: number) => begun.filter((each) => each === second).length;
  expect(inSecond(0)).toBe(perSecond);
  expect(Math.max(...[1, 2, 3, 4].map(inSecond))).toBeLessThanOrEqual(2 * perSecond);
  expect(begun.length).toBeLessThanOrEqual(5 * perSecond);
  expect(refused[0]).toMatchObject({ code: "too_many_requests", headers: { "retry-after": "60" } });
});
