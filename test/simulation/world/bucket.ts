import { Problem } from "#lib/problem.ts";
import type { Objects } from "#lib/store/objects.ts";

export type Bucket = Objects & { readonly stored: ReadonlyMap<string, Uint8Array> };

/** An in-memory bucket without faults or delays. `test/lib/store` tests failures of S3. */
export function createBucket(): Bucket {
  const stored = new Map<string, Uint8Array>();
  return {
    stored,
    async read(key, from, take) {
      const body = stored.get(key);
      if (!body) throw new Problem("unavailable");
      take(body.subarray(from));
    },
    async put(key, body) {
      stored.set(key, Uint8Array.from(body));
    },
    async delete(key) {
      stored.delete(key);
    },
  };
}
