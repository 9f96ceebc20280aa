import * as v from "valibot";
import { clockMargin } from "../values/clock-margin.ts";
import { Conflict } from "./failure.ts";
import { keys } from "./keys.ts";
import type { Writer } from "./table.ts";
import { write } from "./write.ts";

/** Until when somebody works at something, in milliseconds since 1970. */
const Lease = v.object({ until: v.number() });

/**
 * Works at something, unless somebody else does. A lease that was left by a crash ends after `longestMs`, which is more
 * than the work may take, and the difference between the clocks of two functions.
 *
 * @returns the result of the work; undefined if somebody else has the lease
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
    // Work that took too long may have lost its lease.
    await succeeds(write(table, [{ delete: key, when: { is: { until } } }]));
  }
}

/** Whether a conditional write happened. */
const succeeds = (writing: Promise<void>): Promise<boolean> =>
  writing.then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof Conflict)) throw error;
      return false;
    },
  );
