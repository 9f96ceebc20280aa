import { isDeepStrictEqual } from "node:util";
import type { StreamRecord } from "../table/stream.ts";
import { type Cause, currentCause } from "./causes.ts";

type Touch = Cause & { readonly at: number; readonly isWrite: boolean };

/** Maximum time between the touches of two causes that have met, in milliseconds. */
const together = 500;

/**
 * Stored responses, rate limits, and what Stripe keeps of events and due work. Acts do not differ in what they do with
 * these.
 */
const alike = /^(IDEMPOTENCY#|USAGE#|stripe:(event|delivery|replay|task|order|clock) )/;

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
    if (!cause || alike.test(item)) return;
    const touches = this.#byItem.get(item) ?? [];
    this.#byItem.set(item, touches);
    touches.push({ ...cause, at: this.#now(), isWrite });
  }

  /**
   * Adds what was recorded to counts: each cause that has touched anything, each kind of items of which a cause writes one that another run has touched, or
   * reads one that another run has written, and each two causes of which one has written an item that both have touched
   * together.
   */
  addTo(counts: Map<string, number>): void {
    const seen = new Set<string>();
    for (const [item, touches] of this.#byItem) {
      const kind = kindOf(item);
      const [runs, writers] = [new Set<string>(), new Set<string>()];
      for (const [n, touch] of touches.entries()) {
        seen.add(`ran,${touch.name}`);
        const others = touch.isWrite ? runs : writers;
        if (others.size > (others.has(touch.run) ? 1 : 0))
          seen.add(`${touch.isWrite ? "write" : "read"},${touch.name},${kind}`);
        runs.add(touch.run);
        if (touch.isWrite) writers.add(touch.run);
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

/**
 * The name of a tier's mark that it is in use. The mark counts as an item of its own, which only writes depend on, because
 * all synchronizations set it alike.
 */
export const markName = (tier: string): string => `${tier} in_use`;

/** Whether a change of an item only sets that mark. */
export const isMark = ({ OldImage, NewImage }: StreamRecord["dynamodb"]): boolean =>
  OldImage !== undefined &&
  NewImage !== undefined &&
  OldImage.in_use?.BOOL !== NewImage.in_use?.BOOL &&
  isDeepStrictEqual({ ...OldImage, in_use: NewImage.in_use }, NewImage);

export const objectName = (kind: string, id: string): string => `stripe:${kind} ${id}`;

/** The name of an item without ids, such as `COMMUNITY#*#MEMBERS MEMBER#*`. Each lease has a name and no id. */
const kindOf = (item: string): string =>
  item.startsWith("LEASE ")
    ? item
    : item.replaceAll(/[^# ]+/g, (part) => (/^([A-Z]+|stripe:.*)$/.test(part) ? part : "*"));
