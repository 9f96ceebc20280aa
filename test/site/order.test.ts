import { expect, it } from "vitest";
import { movedPositions } from "../../site/console/src/data/order.ts";

const placed = (positions: readonly number[]) => positions.map((position, n) => ({ id: n + 1, position }));

it.each([
  { positions: [1, 2, 3], moved: 2, by: -1, written: { 2: 1, 1: 2 }, text: "the two change places" },
  { positions: [1, 2, 3], moved: 2, by: 1, written: { 3: 2, 2: 3 }, text: "the two change places" },
  { positions: [10, 20, 40], moved: 3, by: -1, written: { 3: 20, 2: 40 }, text: "the positions stay as they are" },
  {
    positions: [1, 1, 2],
    moved: 2,
    by: -1,
    written: { 1: 2, 3: 3 },
    text: "records that share a position are numbered",
  },
  {
    positions: [0, 0, 0],
    moved: 3,
    by: -1,
    written: { 1: 1, 3: 2, 2: 3 },
    text: "records without positions are numbered",
  },
  { positions: [1, 2, 3], moved: 1, by: -1, written: {}, text: "nothing is before the first record" },
  { positions: [1, 2, 3], moved: 3, by: 1, written: {}, text: "nothing is after the last record" },
] as const)("moving record $moved of $positions by $by writes $written: $text", ({ positions, moved, by, written }) => {
  const records = placed(positions);
  const record = records[moved - 1];
  if (!record) throw new Error("There is no such record");
  const found = [...movedPositions(records, record, by)].map(([{ id }, position]) => [id, position]);
  expect(Object.fromEntries(found)).toEqual(written);
});
