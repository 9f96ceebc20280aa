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

/** How often something may begin in a second, and for how many seconds ahead places are given. */
export type Places = { readonly name: string; readonly perSecond: number; readonly ahead: number };

/** How many seconds are tried: where most are full, others come again later. */
const triedSeconds = 3;

/**
 * Takes one of the places that a second has: of the current second, or of one of the next, drawn at random, so that
 * nobody waits in line behind everybody.
 *
 * @returns how many milliseconds it is until then; undefined where no place was found
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
