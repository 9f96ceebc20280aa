import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createOdis, createSignIn, type OdisOptions } from "../../client/odis.ts";
import { endless } from "./browser.ts";

beforeEach(() => void vi.useFakeTimers({ now: new Date("2026-11-01T09:05:00.000Z") }));
afterEach(() => void vi.useRealTimers());

type Answer = () => Promise<Response>;

/** Creates a client of a service that answers in this way. Records the requests. */
function clientOf(answer: Answer, options: Partial<OdisOptions> = {}) {
  const requests: Request[] = [];
  const fetch = (request: Request) => {
    requests.push(request);
    return answer();
  };
  return { odis: createOdis({ baseUrl: "http://service", fetch, ...options }), requests };
}

const never = () => new Promise<never>(() => {});
const refusal =
  (status: number, seconds: number): Answer =>
  async () =>
    new Response("{}", { status, headers: { "retry-after": String(seconds) } });

/** Waits for the end of a call, and returns its error and its duration in milliseconds. */
async function endOf(call: Promise<unknown>) {
  const start = performance.now();
  const ended = call.then(
    () => ({ error: undefined, duration: performance.now() - start }),
    (error: unknown) => ({ error, duration: performance.now() - start }),
  );
  await vi.advanceTimersByTimeAsync(600_000);
  return ended;
}
const timeoutError = expect.objectContaining({ name: "TimeoutError" }) as unknown;

describe("a request without a response", () => {
  it.each<[string, Answer, Partial<OdisOptions>]>([
    ["a server that never responds", never, {}],
    ["a body that never ends", endless, {}],
    ["a token that never comes", never, { token: never }],
  ])("a request ends with a TimeoutError after 60 seconds: %s", async (_, answer, options) => {
    const { odis } = clientOf(answer, options);
    expect(await endOf(odis.get("/health"))).toEqual({ error: timeoutError, duration: 60_000 });
  });

  it.each<[string, Answer]>([
    ["no response", never],
    ["a body that never ends", endless],
  ])("a request is sent again after 31 seconds if it is safe to repeat: %s", async (_, answer) => {
    const { odis, requests } = clientOf(answer);
    await endOf(odis.get("/health"));
    expect(requests).toHaveLength(2);
    const edit = { params: { path: { id: 1 } }, body: { benefit: { name: "Tasting" } } };
    expect(await endOf(odis.patch("/odis/v1/benefits/{id}", edit))).toEqual({ error: timeoutError, duration: 31_000 });
    expect(requests).toHaveLength(3);
  });

  it.each([2 ** 31, Number.POSITIVE_INFINITY])(
    "a request with a time limit of %d ms, which is longer than a timer can run, does not end at once",
    async (timeout) => {
      const late = () =>
        new Promise<Response>((resolve) => void setTimeout(() => resolve(Response.json({ status: "ok" })), 5000));
      const { odis } = clientOf(late);
      expect(await endOf(odis.get("/health", { timeout }))).toEqual({ error: undefined, duration: 5000 });
    },
  );

  it("the time limit can be set for a client and for a request", async () => {
    const { odis } = clientOf(never, { timeout: 5000 });
    expect(await endOf(odis.get("/health"))).toMatchObject({ duration: 5000 });
    expect(await endOf(odis.get("/health", { timeout: 2000 }))).toMatchObject({ duration: 2000 });
    expect(await endOf(odis.get("/health", { timeout: Number.MAX_VALUE, signal: AbortSignal.abort() }))).toMatchObject({
      error: { name: "AbortError" },
      duration: 0,
    });
  });

  it("the signal of the caller cancels a request, the reading of a body, and a wait before a retry", async () => {
    for (const answer of [never, endless, refusal(429, 9)]) {
      const { odis, requests } = clientOf(answer);
      const caller = new AbortController();
      setTimeout(() => caller.abort(new Error("The page was left")), 3000);
      const { error, duration } = await endOf(odis.get("/health", { signal: caller.signal }));
      expect({ error, duration }).toEqual({ error: new Error("The page was left"), duration: 3000 });
      expect(requests).toHaveLength(1);
      expect(requests[0]?.signal.aborted).toBe(true);
    }
  });

  it("a request leaves no timer and no open attempt behind", async () => {
    const { odis, requests } = clientOf(async () => Response.json({}));
    await odis.get("/health");
    expect(vi.getTimerCount()).toBe(0);
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  it("a sign-in ends with a TimeoutError after 20 seconds without a response", async () => {
    vi.stubGlobal("fetch", never);
    const { refresh } = createSignIn({ userPoolId: "eu-central-1_Test", clientId: "test" });
    expect(await endOf(refresh("token"))).toEqual({ error: timeoutError, duration: 20_000 });
    vi.unstubAllGlobals();
  });
});

describe("a response with Retry-After", () => {
  it.each([
    ["an hour", 3600, {}, 1],
    ["11 seconds", 11, {}, 1],
    ["9 seconds, with a time limit of 5 seconds", 9, { timeout: 5000 }, 1],
    ["2 seconds, but longestWait is a second", 2, { retries: { longestWait: 1000 } }, 1],
    ["5 seconds", 5, {}, 6],
  ])("a request waits only if the wait is short: Retry-After is %s", async (_, seconds, options, attempts) => {
    const { odis, requests } = clientOf(refusal(429, seconds), options);
    const { error, duration } = await endOf(odis.get("/health"));
    expect(error).toMatchObject({ status: 429 });
    expect(requests).toHaveLength(attempts);
    expect(duration).toBeGreaterThanOrEqual((attempts - 1) * seconds * 1000);
    expect(duration).toBeLessThanOrEqual(60_000);
  });
});

it("a request with anonymous has no token", async () => {
  const { odis, requests } = clientOf(async () => Response.json({}), { token: () => "token" });
  const params = { path: { id: 1 } };
  await odis.get("/odis/v1/tiers/{id}", { params, anonymous: true });
  await odis.get("/odis/v1/tiers/{id}", { params });
  expect(requests.map(({ headers }) => headers.get("authorization"))).toEqual([null, "Bearer token"]);
});
