export type Retries = {
  /** Maximum number of times that a request is sent. Default: 6 */
  readonly attempts?: number;
  /**
   * Longest wait before a retry, in milliseconds. A response whose `Retry-After` is longer is not retried. Default:
   * 65,000
   */
  readonly longestWait?: number;
};

export type Fetch = (request: Request) => Promise<Response>;

/**
 * A `fetch` that retries requests, with jitter: after a response with `Retry-After` (409, 429, 502, 503, 504), after
 * 429 and 503 without that header, and if there was no response. Retries only requests that are safe to repeat: GET,
 * DELETE, POST with an `Idempotency-Key`, PATCH with `If-Match`.
 */
export function retrying(
  { attempts = 6, longestWait = 65_000 }: Retries = {},
  fetch: Fetch = (request) => globalThis.fetch(request),
): Fetch {
  return async (request) => {
    if (!mayRepeat(request)) return fetch(request);
    for (let tried = 1; ; tried++) {
      const isLast = tried >= attempts;
      try {
        const response = await fetch(request.clone());
        const pause = pauseAfter(response, tried);
        if (isLast || pause === undefined || pause > longestWait) return response;
        await response.body?.cancel();
        await wait(pause, request.signal);
      } catch (error) {
        if (isLast || request.signal.aborted || !(error instanceof TypeError)) throw error;
        await wait(jitter(tried), request.signal);
      }
    }
  };
}

function mayRepeat({ method, headers }: Request): boolean {
  if (method === "POST") return headers.has("idempotency-key");
  return method !== "PATCH" || headers.has("if-match");
}

/** Milliseconds to wait before the next attempt; undefined for a final response. */
function pauseAfter({ status, headers }: Response, tried: number): number | undefined {
  const after = Number(headers.get("retry-after") ?? Number.NaN);
  if (Number.isFinite(after) && [409, 429, 502, 503, 504].includes(status)) return after * 1000 + jitter(tried);
  return status === 429 || status === 503 ? jitter(tried) : undefined;
}

/** A random wait of up to 200 ms, 400 ms, 800 ms … per attempt, and at most five seconds. */
const jitter = (tried: number): number => Math.random() * Math.min(5000, 100 * 2 ** tried);

/** Waits. @throws the reason of the signal once it is aborted */
const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
