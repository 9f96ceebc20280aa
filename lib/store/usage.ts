import { Conflict } from "./failure.ts";
import { keys } from "./keys.ts";
import type { Writer } from "./table.ts";
import { write } from "./write.ts";

/** A token bucket: `burst` requests at once, and one more after each `everyMs` milliseconds. */
export type Bucket = { readonly name: string; readonly burst: number; readonly everyMs: number };

/**
 * Takes a token from a person's bucket. Throws `otherwise` if the bucket is empty. Stores only the time at which the bucket
 * will be full again, so that nothing has to refill it. Takes one write if the bucket is full, otherwise two.
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

/**
 * A limit of starts per second, for all callers together. A caller may be assigned a second that is up to `ahead`
 * seconds away.
 */
export type Places = { readonly name: string; readonly perSecond: number; readonly ahead: number };

/** Number of seconds that are tried before the caller has to retry later. */
const triedSeconds = 3;

/**
 * Takes a place in the current second, or in a random one of the next seconds, so that callers need no queue.
 *
 * @returns the milliseconds until the start; undefined if no place was found
 */
export async function takePlace(table: Writer, { name, perSecond, ahead }: Places): Promise<number | undefined> {
  const { now, random } = table.runtime;
  const at = now().getTime();
  const current = Math.floor(at / 1000);
  const when = { anyOf: ["absent", { atMost: { used: perSecond - 1 } }] } as const;
  for (let tried = 0; tried < triedSeconds; tried++) {
    const second = tried === 0 ? current : current + 1 + Math.floor(random() * ahead);
    const update = keys.usage(String(second), name);
    const isTaken = await write(table, [{ update, set: { expires_at: second + 60 }, add: { used: 1 }, when }]).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Conflict)) throw error;
        return false;
      },
    );
    if (isTaken) return second === current ? 0 : second * 1000 - at + random() * 1000;
  }
  return undefined;
}
