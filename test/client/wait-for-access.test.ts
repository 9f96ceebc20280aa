import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createOdis } from "../../client/odis.ts";

beforeEach(() => void vi.useFakeTimers({ now: new Date("2026-11-01T09:05:00.000Z") }));
afterEach(() => void vi.useRealTimers());

type Answer = () => Response | Promise<Response>;

const membership = (granted: boolean, reason: string) => () => Response.json({ access: { granted, reason } });
const pending = membership(false, "not_a_member");
const granted = membership(true, "active");
const blocked = membership(false, "blocked");
const problem = (status: number) => () => new Response("{}", { status });
const offline = () => Promise.reject(new TypeError("fetch failed"));
const never = () => new Promise<never>(() => {});

/** Creates a client whose requests get the answers in order, and the last one again and again. */
function clientOf(...answers: readonly Answer[]) {
  const times: number[] = [];
  const start = performance.now();
  const odis = createOdis({
    baseUrl: "http://service",
    retries: { attempts: 1 },
    async fetch() {
      const answer = answers[Math.min(times.push(performance.now() - start), answers.length) - 1];
      return (answer ?? never)();
    },
  });
  return { odis, times };
}

async function endOf(call: Promise<unknown>) {
  const start = performance.now();
  const ended = call.then(
    (result) => ({ result, duration: performance.now() - start }),
    (error: unknown) => ({ error, duration: performance.now() - start }),
  );
  await vi.advanceTimersByTimeAsync(600_000);
  return ended;
}

describe("waitForAccess", () => {
  it("waitForAccess returns the membership as soon as access is granted", async () => {
    const { odis, times } = clientOf(pending, pending, granted);
    expect(await endOf(odis.waitForAccess(1))).toEqual({
      result: { access: { granted: true, reason: "active" } },
      duration: 1250,
    });
    expect(times).toEqual([0, 500, 1250]);
  });

  it("waitForAccess returns the membership without access when the time is over, with pauses of at most five seconds", async () => {
    const { odis, times } = clientOf(pending);
    expect(await endOf(odis.waitForAccess(1))).toMatchObject({
      result: { access: { granted: false } },
      duration: 30_000,
    });
    const pauses = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    expect(Math.max(...pauses)).toBe(5000);
    expect(times.length).toBeLessThan(12);
    expect(await endOf(odis.waitForAccess(1, { timeout: 5000 }))).toMatchObject({ duration: 5000 });
  });

  it("waitForAccess returns immediately if the person is blocked", async () => {
    const { odis } = clientOf(blocked);
    expect(await endOf(odis.waitForAccess(1))).toMatchObject({
      result: { access: { reason: "blocked" } },
      duration: 0,
    });
  });

  it.each([
    ["a lost connection", offline],
    ["429", problem(429)],
    ["500", problem(500)],
    ["503", problem(503)],
  ])("waitForAccess asks again after %s", async (_, failure) => {
    const { odis } = clientOf(failure, pending, failure, granted);
    expect(await endOf(odis.waitForAccess(1))).toMatchObject({ result: { access: { granted: true } } });
  });

  it.each([401, 403, 404])("waitForAccess throws the problem of a response with status %i", async (status) => {
    const { odis } = clientOf(pending, problem(status));
    expect(await endOf(odis.waitForAccess(1))).toMatchObject({ error: { status }, duration: 500 });
  });

  it("waitForAccess returns the last membership if a later request gets no response, and throws if none did", async () => {
    expect(await endOf(clientOf(pending, never).odis.waitForAccess(1))).toMatchObject({
      result: { access: { granted: false } },
      duration: 30_000,
    });
    expect(await endOf(clientOf(never).odis.waitForAccess(1))).toMatchObject({
      error: { name: "TimeoutError" },
      duration: 30_000,
    });
  });

  it("waitForAccess throws the reason of the caller's signal", async () => {
    const caller = new AbortController();
    setTimeout(() => caller.abort(new Error("The page was left")), 2000);
    const { odis } = clientOf(pending);
    expect(await endOf(odis.waitForAccess(1, { signal: caller.signal }))).toEqual({
      error: new Error("The page was left"),
      duration: 2000,
    });
  });
});
