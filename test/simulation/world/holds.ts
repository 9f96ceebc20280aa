import type { Timeline } from "../timeline.ts";
import { Meetings } from "./meetings.ts";

/** The name of an item, of a partition that was queried, or of an object of Stripe. */
export type ItemName = string;

type Hold = {
  readonly by: string;
  readonly read: ReadonlySet<ItemName>;
  readonly writes: readonly ItemName[];
  readonly during: string | undefined;
  readonly release: () => void;
};

type HoldOptions = {
  /** The items that the held call is about to write. It continues when another invocation reads one of them. */
  readonly writes?: readonly ItemName[] | undefined;
  /** The act during which the call is held. */
  readonly during?: string;
  /** Time until the call continues after the other write, in milliseconds, so that what follows from it comes first. */
  readonly longer?: number;
};

/** Maximum duration of a hold, in milliseconds. */
export const longestHold = 1500;

/**
 * Holds calls until another invocation writes an item that the caller has read. This makes write conflicts much more
 * frequent.
 */
export class Holds {
  /** The probability that a call of an invocation that has read an item is held. */
  readonly probability: number;
  readonly meetings: Meetings;
  readonly #timeline: Timeline;
  readonly #waiting = new Set<Hold>();
  /** The id of the invocation whose write is in progress. */
  writer: string | undefined;

  constructor(timeline: Timeline, probability: number) {
    this.#timeline = timeline;
    this.probability = probability;
    this.meetings = new Meetings(timeline);
  }

  /** Waits until an invocation other than `by` writes one of the items, or until the maximum duration has passed. */
  wait(by: string, read: ReadonlySet<ItemName>, { writes = [], during, longer = 1 }: HoldOptions = {}): Promise<void> {
    return new Promise((resolve) => {
      const end = (delay: number) => {
        if (this.#waiting.delete(hold)) this.#timeline.after(delay, resolve);
      };
      const hold = { by, read, writes, during, release: () => end(longer) };
      this.#waiting.add(hold);
      this.#timeline.after(longestHold, () => end(1));
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

  /** Releases the invocations that have read what was written: an item, by its name or its partition, or an object. */
  written(...names: readonly ItemName[]): void {
    for (const { by, read, release } of this.#waiting)
      if (by !== this.writer && names.some((name) => read.has(name))) release();
  }

  /** Releases the calls that are about to write an item which another invocation has read. */
  wasRead(reader: string, names: readonly ItemName[]): void {
    for (const { by, writes, release } of this.#waiting)
      if (by !== reader && writes.some((name) => names.includes(name))) release();
  }

  /** Releases the calls that are held during an act which is over. */
  ended(act: string): void {
    for (const { during, release } of this.#waiting) if (during === act) release();
  }
}

export const itemName = (pk: string, sk: string): ItemName => `${pk} ${sk}`;
