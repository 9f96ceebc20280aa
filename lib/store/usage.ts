import { Conflict } from "./failure.ts";
import { keys } from "./keys.ts";
import type { Writer } from "./table.ts";
import { write } from "./write.ts";

/** A token bucket: `burst` requests at once, and one more after each `everyMs` milliseconds. */
export type Bucket = { readonly name: string; readonly burst: number; readonly everyMs: number };

/**
 * Takes a token of a person's bucket; throws `otherwise` where it is empty. The bucket is the time at which it will be
 * full again, so that no clock has to refill it: one write where it is full, two where it is not.
 */
export async function take(
  table: Writer,
  sub: string,
  { bucket, now, otherwise }: { readonly bucket: Bucket; readonly now: Date; readonly otherwise: Error },
): Promise<void> {
  const { name, burst, everyMs } = bucket;
  const update = keys.usage(sub, name);
  const at = now.getTime();
  const expires_at = Math.ceil((at + burst * everyMs) / 1000) + 60;
  const isFull = { anyOf: ["absent", { atMost: { full_at: at } }] } as const;
  try {
    await write(table, [{ update, set: { full_at: at + everyMs, expires_at }, when: isFull }]);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    const hasTokens = { atMost: { full_at: at + (burst - 1) * everyMs } };
    await write(table, [{ update, set: { expires_at }, add: { full_at: everyMs }, when: hasTokens, otherwise }]);
  }
}
