import { setTimeout as wait } from "node:timers/promises";

export type Retries = {
  /** How often a request is made at most. */
  readonly attempts?: number;
  /** How long one wait may be, in milliseconds; an answer that asks for more is not waited for. */
  readonly longestWait?: number;
};

type Fetch = (request: Request) => Promise<Response>;

/**
 * A `fetch` that asks again, with jitter: where the answer carries `Retry-After` (429, 503, a run that is still going
 * on), and where there was none at all. Only requests that may be repeated are: reads, deletions, POSTs with an
 * `Idempotency-Key`, PATCHes with `If-Match`.
 */
export function retrying({ attempts = 6, longestWait = 65_000 }: Retries = {}, fetch: Fetch = globalThis.fetch): Fetch {
  return async (request) => {
    if (!mayRepeat(request)) return fetch(request);
    for (let tried = 1; ; tried++) {
      const isLast = tried >= attempts;
      try {
        const response = await fetch(request.clone());
        const pause = pauseAfter(response, tried);
        if (isLast || pause === undefined || pause > longestWait) return response;
        await response.body?.cancel();
        await wait(pause, undefined, { signal: request.signal });
      } catch (error) {
        if (isLast || request.signal.aborted || !(error instanceof TypeError)) throw error;
        await wait(jitter(tried), undefined, { signal: request.signal });
      }
    }
  };
}

function mayRepeat({ method, headers }: Request): boolean {
  if (method === "POST") return headers.has("idempotency-key");
  return method !== "PATCH" || headers.has("if-match");
}

/** Milliseconds to wait for; undefined for an answer that stands. */
function pauseAfter({ status, headers }: Response, tried: number): number | undefined {
  const after = Number(headers.get("retry-after") ?? Number.NaN);
  if (Number.isFinite(after) && [409, 429, 502, 503, 504].includes(status)) return after * 1000 + jitter(tried);
  return status === 429 || status === 503 ? jitter(tried) : undefined;
}

/** Up to 200 ms, 400 ms, 800 ms …, and no longer than five seconds. */
const jitter = (tried: number): number => Math.random() * Math.min(5000, 100 * 2 ** tried);
