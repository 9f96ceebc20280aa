import { afterEach, expect, it, vi } from "vitest";
import { attemptsWith, countedFetch } from "../../site/console/src/data/counted-fetch.ts";

afterEach(() => vi.unstubAllGlobals());

it("an attempt counts unless it was refused before the API looks for an earlier one, also if its answer was lost", async () => {
  const answers = [401, 429, 409, 503, 201].map((status) => () => Promise.resolve(new Response("", { status })));
  const lost = () => Promise.reject(new TypeError("fetch failed"));
  const counts: number[] = [];
  for (const answer of [lost, ...answers]) {
    vi.stubGlobal("fetch", answer);
    const headers = { "idempotency-key": "a" };
    await countedFetch(new Request("https://example.com", { method: "POST", headers })).catch(() => undefined);
    counts.push(attemptsWith("a"));
  }
  expect(counts).toEqual([1, 1, 1, 2, 3, 4]);
  expect(attemptsWith("b")).toBe(0);
});
