import type { Timeline } from "../timeline.ts";

/** An item, or a partition of which a query has shown what is there. */
export type ItemName = string;

type Hold = { readonly by: string; readonly read: ReadonlySet<ItemName>; readonly release: () => void };

/** How long a call is held at most, in milliseconds. */
const longest = 1500;

/**
 * Holds calls until another invocation writes what the caller has read. Two writers meet on one item in this way far more
 * often than by chance.
 */
export class Holds {
  /** The probability that a call of an invocation that has read something is held. */
  readonly probability: number;
  readonly #timeline: Timeline;
  readonly #waiting = new Set<Hold>();
  #writer: string | undefined;

  constructor(timeline: Timeline, probability: number) {
    this.#timeline = timeline;
    this.probability = probability;
  }

  /** Waits until an invocation other than `by` writes one of the items, or until the longest time of a hold is over. */
  wait(by: string, read: ReadonlySet<ItemName>): Promise<void> {
    return new Promise((resolve) => {
      const release = () => {
        if (this.#waiting.delete(hold)) this.#timeline.after(1, resolve);
      };
      const hold = { by, read, release };
      this.#waiting.add(hold);
      this.#timeline.after(longest, release);
    });
  }

  /** Runs a write under the name of an invocation. */
  write<T>(by: string, run: () => T): T {
    this.#writer = by;
    try {
      return run();
    } finally {
      this.#writer = undefined;
    }
  }

  /** Releases those who have read an item that was written. */
  written(pk: string, sk: string): void {
    for (const { by, read, release } of this.#waiting)
      if (by !== this.#writer && (read.has(itemName(pk, sk)) || read.has(pk))) release();
  }
}

export const itemName = (pk: string, sk: string): ItemName => `${pk} ${sk}`;
