import { array, assert, constantFrom, nat, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { each, has, include, namesOf, noRows, type Rows, without } from "#lib/discovery/names.ts";

const rowsOf = (rows: Rows, skip = 0): number[] => {
  const found: number[] = [];
  each(rows, skip, (row) => found.push(row) > 0);
  return found;
};

// Few letters, so that texts are found often, almost, and over the bounds of names and of sixteen bytes.
const letters = constantFrom("a", "b", "ab", "\u00ff", " ", "\0");
const texts = string({ unit: letters, maxLength: 40 });

describe("names", () => {
  it("are found by any part of them, and by nothing else", () => {
    assert(
      property(array(texts, { maxLength: 100 }), string({ unit: letters, maxLength: 20 }), (names, text) => {
        const holding = rowsOf(namesOf(names).holding(text));
        expect(holding).toEqual([...names.keys()].filter((row) => names[row]?.includes(text)));
      }),
      { numRuns: 1000 },
    );
  });

  it("are found again after another text was looked for", () => {
    const names = namesOf(["mezcal circle", "gin club"]);
    expect(["circle", "club", "nowhere", "", "c"].map((text) => rowsOf(names.holding(text)))).toEqual([
      [0],
      [1],
      [],
      [0, 1],
      [0, 1],
    ]);
  });

  it("are not found by a text that is longer than all of them, however long it is", () => {
    const names = namesOf(["aaa", "aa"]);
    for (const length of [4, 7, 8, 100, 8192, 8193, 100_000])
      expect(rowsOf(names.holding("a".repeat(length)))).toEqual([]);
  });

  it("are shown as they are", () => {
    const names = namesOf(["", "mezcal", "\u00e9\u00ff"]);
    expect([0, 1, 2].map((row) => names.at(row))).toEqual(["", "mezcal", "\u00e9\u00ff"]);
  });
});

describe("a set of rows", () => {
  const size = 200;
  const sets = array(nat(size - 1), { maxLength: size });
  const setOf = (rows: readonly number[]): Rows => {
    const set = noRows(size);
    for (const row of rows) include(set, row);
    return set;
  };

  it("tells what is in it, in order, after any number of first ones", () => {
    assert(
      property(sets, nat(size), (rows, skip) => {
        const sorted = [...new Set(rows)].toSorted((a, b) => a - b);
        expect(rowsOf(setOf(rows), skip)).toEqual(sorted.slice(skip));
        expect(Array.from({ length: size }, (_, row) => row).filter((row) => has(setOf(rows), row))).toEqual(sorted);
      }),
    );
  });

  it("loses what others hold, and counts what is left", () => {
    assert(
      property(sets, sets, (rows, others) => {
        const set = setOf(rows);
        const left = new Set(rows.filter((row) => !others.includes(row)));
        expect(without(set, setOf(others))).toBe(left.size);
        expect(new Set(rowsOf(set))).toEqual(left);
      }),
    );
  });
});
