import { lowerBound } from "./columns.ts";

/** Maximum size of a block. Moving so many items takes less time than finding their place. */
const maxBlock = 512;

/**
 * A sorted list. It is stored in blocks, so that a change moves few items: n changes take O(n log n).
 *
 * @param order a total order: only the same item compares as 0
 */
export function sortedList<T>(order: (a: T, b: T) => number) {
  const blocks: T[][] = [];

  /** The number of the block for an item, the block, and the index of the first item in it that is not smaller. */
  function placeOf(item: T): readonly [number, T[], number] {
    const isAfter = (other: T | undefined) => other !== undefined && order(other, item) > 0;
    const n = Math.max(0, lowerBound(0, blocks.length, (at) => isAfter(blocks[at]?.[0])) - 1);
    const block = (blocks[n] ??= []);
    return [n, block, lowerBound(0, block.length, (at) => order(block[at] ?? item, item) >= 0)];
  }

  return {
    add(item: T): void {
      const [n, block, at] = placeOf(item);
      block.splice(at, 0, item);
      if (block.length > maxBlock) blocks.splice(n + 1, 0, block.splice(maxBlock / 2));
    },
    /** Removes an item that is in the list. */
    delete(item: T): void {
      const [n, block, at] = placeOf(item);
      block.splice(at, 1);
      if (block.length === 0) blocks.splice(n, 1);
    },
    filter: (test: (item: T) => boolean): T[] => blocks.flatMap((block) => block.filter(test)),
  };
}
