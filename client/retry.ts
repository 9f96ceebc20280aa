import { read } from "./problem.ts";
import type { OdisResponse } from "./request.ts";
import { isNoResponse, wait, withTimeout } from "./time.ts";

export type Retries = {
  /** Maximum number of times that a request is sent. Default: 6 */
  readonly attempts?: number;
  /**
   * Longest wait before a retry, in milliseconds. A response whose `Retry-After` is longer is not retried. Default:
   * 10,000
   */
  readonly longestWait?: number;
};

export type Fetch = (request: Request) => Promise<Response>;

/** How long to wait for the whole response to one attempt, in milliseconds. API Gateway responds within 30 seconds. */
const attemptTimeout = 31_000;

/**
 * Sends requests, reads the responses, and retries with jitter: after a response with `Retry-After` (409, 429, 502, 503,
 * 504), after 429 and 503 without that header, and if there was no complete response. Retries only requests that are safe to
 * repeat: GET, DELETE, POST with an `Idempotency-Key`, PATCH with `If-Match`. Does not begin a wait that would end after
 * `end`, a time of `performance.now()`.
 */
export function retrying(
  { attempts = 6, longestWait = 10_000 }: Retries = {},
  fetch: Fetch = (request) => globalThis.fetch(request),
): (request: Request, end: number) => Promise<OdisResponse<unknown>> {
  return async (request, end) => {
    for (let tried = 1; ; tried++) {
      // Every POST has an `Idempotency-Key`.
      const isLast = tried >= attempts || (request.method === "PATCH" && !request.headers.has("if-match"));
      // A random wait of up to 200 ms, 400 ms, 800 ms … per attempt, and at most five seconds.
      let pause = Math.random() * Math.min(5000, 100 * 2 ** tried);
      try {
        const outcome = await withTimeout(attemptTimeout, request.signal, async (signal) => {
          const response = await fetch(new Request(request.clone(), { signal }));
          const longerPause = pause + pauseAfter(response);
          if (isLast || longerPause > longestWait || performance.now() + longerPause > end) return read(response);
          pause = longerPause;
          return undefined;
        });
        if (outcome) return outcome;
      } catch (error) {
        if (isLast || !isNoResponse(error)) throw error;
      }
      await wait(pause, request.signal);
    }
  };
}

/** Least wait before the next attempt, in milliseconds. `Infinity` for a final response. */
function pauseAfter({ status, headers }: Response): number {
  const seconds = parseFloat(headers.get("retry-after") as string);
  const isBusy = status === 429 || status === 503;
  if (seconds >= 0 && (isBusy || status === 409 || status > 501)) return seconds * 1000;
  return isBusy ? 0 : Infinity;
}
