const attempts = new Map<string, number>();

/** How often a request with this `Idempotency-Key` was sent and may have had its effect, since the page was loaded. */
export const attemptsWith = (key: string): number => attempts.get(key) ?? 0;

/** `fetch` that counts the attempts of requests with an `Idempotency-Key`, among which are the client's own retries. */
export async function countedFetch(request: Request): Promise<Response> {
  const key = request.headers.get("idempotency-key");
  if (key === null) return fetch(request);
  const before = attemptsWith(key);
  attempts.set(key, before + 1);
  const response = await fetch(request);
  // These are decided before the API looks for an earlier request with the same key.
  if (response.status === 401 || response.status === 429) attempts.set(key, before);
  return response;
}
