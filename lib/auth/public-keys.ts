import type { Fetcher } from "aws-jwt-verify/https";
import { SimpleJwksCache } from "aws-jwt-verify/jwk";
import { Problem } from "../problem.ts";
import type { Runtime } from "../runtime.ts";

/** An unknown key id leads to no more than one fetch in this time. Rotated keys are known this late at most. */
const refetchAfterMs = 10_000;
/** While no key is known nobody can be let in: the keys are asked for more often. */
const retryAfterMs = 1000;

type Options = Pick<Runtime, "now"> & { readonly jwksUri: string; readonly fetcher: Fetcher };

/** The public keys at one address. Requests that wait for the same fetch share it. */
export function publicKeys({ jwksUri, fetcher, now }: Options) {
  const cache = new SimpleJwksCache({ fetcher });
  let known: ReadonlySet<string | undefined> = new Set();
  let askedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  async function fetchKeys(): Promise<void> {
    askedAt = now().getTime();
    try {
      const { keys } = await cache.getJwks(jwksUri);
      known = new Set(keys.map(({ kid }) => kid));
    } catch (cause) {
      // With keys at hand a token of another key is refused. Without any, nobody can tell a valid token.
      if (known.size === 0) throw new Problem("unavailable", { headers: { "retry-after": "1" }, cause });
    } finally {
      fetching = undefined;
    }
  }

  const mayFetch = () => now().getTime() - askedAt >= (known.size > 0 ? refetchAfterMs : retryAfterMs);

  return {
    /** For the verifier, which reads the keys from it and fetches nothing. */
    cache,
    /**
     * Fetches the keys if this one is not among them, within the limits above.
     *
     * @throws Problem `unavailable` if there are no keys and none can be fetched
     */
    async load(kid: string): Promise<void> {
      if (known.has(kid)) return;
      if (fetching) return fetching;
      if (mayFetch()) return (fetching = fetchKeys());
      if (known.size === 0) throw new Problem("unavailable", { headers: { "retry-after": "1" } });
    },
  };
}
