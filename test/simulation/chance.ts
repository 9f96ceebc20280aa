import { scatter } from "./table/storage.ts";

/** A pseudo-random generator. The same seed yields the same draws. */
export class Chance {
  #state: number;

  constructor(seed: string) {
    this.#state = scatter(seed);
    // Discards the first draws, because they are similar for similar seeds.
    for (let n = 0; n < 4; n++) this.next();
  }

  /** Draws a number from 0 (inclusive) to 1 (exclusive) with Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Draws an integer. Both bounds are inclusive. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.next() * from.length)];
  }

  /** Draws a key. Its probability is proportional to its weight. */
  weighted<T extends string>(weights: Readonly<Partial<Record<T, number>>>): T | undefined {
    const all = Object.entries(weights) as [T, number][];
    let left = this.next() * all.reduce((sum, [, weight]) => sum + weight, 0);
    return all.find(([, weight]) => (left -= weight) < 0)?.[0];
  }

  shuffle = <T>(list: T[]): T[] => {
    for (let n = list.length - 1; n > 0; n--) {
      const other = Math.floor(this.next() * (n + 1));
      [list[n], list[other]] = [list[other] as T, list[n] as T];
    }
    return list;
  };
}
