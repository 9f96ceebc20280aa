import { keys } from "./keys.ts";
import type { Writer } from "./table.ts";
import { write } from "./write.ts";

/** Counts a request of a person in this minute, by one write; throws `otherwise` where they have had their number. */
export async function count(
  table: Writer,
  sub: string,
  { most, now, otherwise }: { readonly most: number; readonly now: Date; readonly otherwise: Error },
): Promise<void> {
  const minute = Math.floor(now.getTime() / 60_000);
  await write(table, [
    {
      update: keys.usage(sub, minute),
      set: { expires_at: (minute + 2) * 60 },
      add: { requests: 1 },
      when: { anyOf: ["absent", { atMost: { requests: most - 1 } }] },
      otherwise,
    },
  ]);
}
