import { Problem } from "#lib/problem.ts";
import type { Objects } from "#lib/store/objects.ts";

/** A bucket in memory, which answers at once. What can go wrong on the way to S3 is tested in `test/lib/store`. */
export function createBucket(): Objects {
  const stored = new Map<string, Uint8Array>();
  return {
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
