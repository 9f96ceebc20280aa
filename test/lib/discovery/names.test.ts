import { array, assert, constantFrom, nat, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { add, emptySet, has, type RowSet, rowsIn, subtract } from "#lib/discovery/row-set.ts";
import { namesOf } from "../../support/listing.ts";

const rowsOf = (rows: RowSet, skip = 0): number[] => [...rowsIn(rows, skip)];

// Few letters, so that matches, near misses, and matches across the bounds of names and of 16 bytes are frequent.
const letters = constantFrom("a", "b", "ab", "\u00ff", " ", "\0");
const texts = string({ unit: letters, maxLength: 40 });

describe("Names", () => {
  it("a search of names finds exactly the names that contain the text", () => {
    assert(
      property(array(texts, { maxLength: 100 }), string({ unit: letters, maxLength: 20 }), (names, text) => {
        const found = rowsOf(namesOf(names).search(text));
        expect(found).toEqual([...names.keys()].filter((row) => names[row]?.includes(text)));
      }),
      { numRuns: 1000 },
    );
  });

  it("a search of names is not affected by an earlier search", () => {
    const names = namesOf(["mezcal circle", "gin club"]);
    expect(["circle", "club", "nowhere", "", "c"].map((text) => rowsOf(names.search(text)))).toEqual([
      [0],
      [1],
      [],
      [0, 1],
      [0, 1],
    ]);
  });

  it("a text that is longer than every name is not found, even if it is very long", () => {
    const names = namesOf(["aaa", "aa"]);
    for (const length of [4, 7, 8, 100, 8192, 8193, 100_000])
      expect(rowsOf(names.search("a".repeat(length)))).toEqual([]);
  });

  it("the names in an image are returned unchanged", () => {
    const names = namesOf(["", "mezcal", "\u00e9\u00ff"]);
    expect([0, 1, 2].map((row) => names.at(row))).toEqual(["", "mezcal", "\u00e9\u00ff"]);
  });
});

describe("RowSet", () => {
  const size = 200;
  const sets = array(nat(size - 1), { maxLength: size });
  const setOf = (rows: readonly number[]): RowSet => {
    const set = emptySet(size);
    for (const row of rows) add(set, row);
    return set;
  };

  it("rowsIn yields the rows in ascending order without the first ones", () => {
    assert(
      property(sets, nat(size), (rows, skip) => {
        const sorted = [...new Set(rows)].toSorted((a, b) => a - b);
        expect(rowsOf(setOf(rows), skip)).toEqual(sorted.slice(skip));
        expect(Array.from({ length: size }, (_, row) => row).filter((row) => has(setOf(rows), row))).toEqual(sorted);
      }),
    );
  });

  it("subtract removes the rows of another set and returns the number of remaining rows", () => {
    assert(
      property(sets, sets, (rows, others) => {
        const set = setOf(rows);
        const left = new Set(rows.filter((row) => !others.includes(row)));
        expect(subtract(set, setOf(others))).toBe(left.size);
        expect(new Set(rowsOf(set))).toEqual(left);
      }),
    );
  });
});
