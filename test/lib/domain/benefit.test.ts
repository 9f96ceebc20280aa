import { expect, it } from "vitest";
import { inOrder, nextPosition } from "#lib/domain/benefit.ts";

const early = "2026-01-01T00:00:00.000Z";
const late = "2026-01-01T00:00:00.001Z";
const benefit = (position: number, created_at: string, id: number) => ({ position, created_at, id });

it("benefits are sorted by position, then by creation time, then by id", () => {
  const ordered = [
    benefit(1, late, 9),
    benefit(2, early, 4),
    benefit(2, early, 5),
    benefit(2, late, 3),
    benefit(10, early, 1),
  ];
  expect(ordered.toReversed().toSorted(inOrder)).toEqual(ordered);
});

it.each([
  [[], 1],
  [[0], 1],
  [[3, 1], 4],
  [[1_000_000], 1_000_000],
])("after benefits at the positions %j, the default position of a new benefit is %d", (taken, next) => {
  expect(nextPosition(taken.map((position, n) => benefit(position, early, n)))).toBe(next);
});
