import type { Timeline } from "../timeline.ts";

/** The name of an item, or of a partition that was queried. */
export type ItemName = string;

type Hold = { readonly by: string; readonly read: ReadonlySet<ItemName>; readonly release: () => void };

/** Maximum duration of a hold, in milliseconds. */
const longest = 1500;

/**
 * Holds calls until another invocation writes an item that the caller has read. This makes write conflicts much more
 * frequent.
 */
export class Holds {
  /** The probability that a call of an invocation that has read an item is held. */
  readonly probability: number;
  readonly #timeline: Timeline;
  readonly #waiting = new Set<Hold>();
  /** The id of the invocation whose write is in progress. */
  writer: string | undefined;

  constructor(timeline: Timeline, probability: number) {
    this.#timeline = timeline;
    this.probability = probability;
  }

  /** Waits until an invocation other than `by` writes one of the items, or until the maximum duration has passed. */
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

  /** Runs a write on behalf of an invocation. */
  write<T>(by: string, run: () => T): T {
    this.writer = by;
    try {
      return run();
    } finally {
      this.writer = undefined;
    }
  }

  /** Releases the invocations that have read an item which was written. */
  written(pk: string, sk: string): void {
    for (const { by, read, release } of this.#waiting)
      if (by !== this.writer && (read.has(itemName(pk, sk)) || read.has(pk))) release();
  }
}

export const itemName = (pk: string, sk: string): ItemName => `${pk} ${sk}`;
