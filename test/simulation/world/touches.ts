import { type Cause, currentCause } from "./causes.ts";

type Touch = Cause & { readonly at: number; readonly isWrite: boolean };

/** Maximum time between the touches of two causes that have met, in milliseconds. */
const together = 500;

/** Records which items of the table and which objects of Stripe each act and each trigger reads and writes. */
export class Touches {
  readonly #now: () => number;
  readonly #byItem = new Map<string, Touch[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records that the current cause has read or written an item. */
  note(item: string, { isWrite }: { readonly isWrite: boolean }): void {
    const cause = currentCause();
    if (!cause) return;
    const touches = this.#byItem.get(item) ?? [];
    this.#byItem.set(item, touches);
    touches.push({ ...cause, at: this.#now(), isWrite });
  }

  /**
   * Adds what was recorded to counts: each kind of items that a cause reads or writes, each kind of which two causes
   * have touched one item, and each two causes that have touched one item together, at least one of which wrote it.
   */
  addTo(counts: Map<string, number>): void {
    const seen = new Set<string>();
    for (const [item, touches] of this.#byItem) {
      const kind = kindOf(item);
      const writers = new Set(touches.filter(({ isWrite }) => isWrite).map(({ run }) => run));
      if (writers.size > 1) seen.add(`shared,write,${kind}`);
      if (writers.size > 0 && touches.some(({ run }) => writers.size > 1 || !writers.has(run)))
        seen.add(`shared,read,${kind}`);
      for (const [n, touch] of touches.entries()) {
        seen.add(`${touch.isWrite ? "write" : "read"},${touch.name},${kind}`);
        for (let next = n + 1; (touches[next]?.at ?? Infinity) - touch.at <= together; next++) {
          const later = touches[next];
          if (!later || later.run === touch.run || !(later.isWrite || touch.isWrite)) continue;
          const how = later.isWrite && touch.isWrite ? "write" : "read";
          seen.add(`met,${how},${[later.name, touch.name].toSorted().join()}`);
        }
      }
    }
    for (const one of seen) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
}

export const objectName = (kind: string, id: string): string => `stripe:${kind} ${id}`;

/** The name of an item without ids, such as `COMMUNITY#*#MEMBERS MEMBER#*`. */
const kindOf = (item: string): string =>
  item.replaceAll(/[^# ]+/g, (part) => (/^([A-Z]+|stripe:.*)$/.test(part) ? part : "*"));
