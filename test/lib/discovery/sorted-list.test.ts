import { expect, it } from "vitest";
import { sortedList } from "#lib/discovery/sorted-list.ts";

/** The numbers below `count` in an order that looks random, and is always the same. `count` and 7919 have no common factor. */
const shuffled = (count: number): number[] => Array.from({ length: count }, (_, n) => (n * 7919) % count);

const ascending = (a: number, b: number): number => a - b;

it("a list of many blocks stays in order when whole ranges are removed and added again", () => {
  const count = 5000;
  const list = sortedList<number>(ascending);
  const all = () => list.filter(() => true);
  for (const item of shuffled(count)) list.add(item);
  expect(all()).toEqual(Array.from({ length: count }, (_, n) => n));

  // Empties blocks at the beginning, in the middle and at the end.
  const isRemoved = (item: number): boolean => item < 1500 || (item >= 2000 && item < 3500) || item >= 4200;
  for (const item of shuffled(count)) if (isRemoved(item)) list.delete(item);
  expect(all()).toEqual(Array.from({ length: count }, (_, n) => n).filter((item) => !isRemoved(item)));

  for (const item of shuffled(count)) if (isRemoved(item)) list.add(item);
  expect(all()).toEqual(Array.from({ length: count }, (_, n) => n));

  for (const item of shuffled(count)) list.delete(item);
  expect(all()).toEqual([]);
  list.add(7);
  expect(all()).toEqual([7]);
});
