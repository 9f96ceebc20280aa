import * as v from "valibot";
import { clockMargin } from "../values/clock-margin.ts";
import { Conflict } from "./failure.ts";
import { keys } from "./keys.ts";
import type { Writer } from "./table.ts";
import { write } from "./write.ts";

/** When the lease ends, in milliseconds since 1970. */
const Lease = v.object({ until: v.number() });

/**
 * Runs work under a lease, so that it does not run twice at the same time. The lease of a crashed worker ends after
 * `longestMs`, which must exceed the duration of the work, plus the maximum clock skew between two functions.
 *
 * @returns the result of the work; undefined if another worker holds the lease
 */
export async function withLease<T>(
  table: Writer,
  { name, longestMs }: { readonly name: string; readonly longestMs: number },
  work: () => Promise<T>,
): Promise<T | undefined> {
  const key = keys.lease(name);
  const now = table.runtime.now().getTime();
  const item = await table.get(key);
  const before = item && v.parse(Lease, item);
  if (before && before.until > now) return undefined;
  const until = now + longestMs + clockMargin;
  const isTaken = await succeeds(write(table, [{ put: { ...key, until }, when: before ? { is: before } : "absent" }]));
  if (!isTaken) return undefined;
  try {
    return await work();
  } finally {
    // If the work took longer than the lease, another worker may hold the lease now.
    await succeeds(write(table, [{ delete: key, when: { is: { until } } }]));
  }
}

/** Whether a conditional write succeeded. */
const succeeds = (writing: Promise<void>): Promise<boolean> =>
  writing.then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof Conflict)) throw error;
      return false;
    },
  );
