import { describe, expect, it } from "vitest";
import { assertRoom, linksOf, named } from "#lib/domain/brand.ts";

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const brand = (name: string, n = 0) => ({ id: uuid(n), name });
const namesOf = (names: readonly string[], query?: string) => named(names.map(brand), query).map(({ name }) => name);

describe("brands by name", () => {
  it("brands are sorted by folded names in code point order", () => {
    const inOrder = [
      '"Quoted" Gin',
      "100% Agave",
      "_Underscore",
      "a\u0301nima", // with a combining accent
      "Anima Alta",
      "Ánimo",
      "İnan",
      "Strassa",
      "Straße",
      "strassf",
      "zebra",
      "\ue000 private", // below the emoji by code point, above it by UTF-16 unit
      "🥃 Dram",
    ];
    expect(namesOf(inOrder.toReversed())).toEqual(inOrder);
  });

  it("brands whose names fold to the same text are sorted by id", () => {
    const alike = [brand("Ánimo", 3), brand("animo", 1), brand("ANIMO", 2), brand("animo\0", 0)];
    expect(named(alike).map(({ id }) => id)).toEqual([uuid(1), uuid(2), uuid(3), uuid(0)]);
  });

  it.each([
    ["%", ["100% Agave"]],
    ["_", ["_Underscore"]],
    ["'", ["O'Rourke"]],
    ["ROURKE", ["O'Rourke"]],
    ["strasse", ["Straße"]],
    ["ß", ["Straße"]],
    ["inan", ["İnan"]],
    ["NIMA", ["a\u0301nima"]],
    ["á", ["100% Agave", "a\u0301nima", "İnan", "Straße", "🥃 Dram"]],
    ["🥃", ["🥃 Dram"]],
    ["0%  a", ["100% Agave"]],
    [".*", []],
    ["\\", []],
  ])("brands are found by any part of the name: %s", (query, expected) => {
    const names = ["100% Agave", "_Underscore", "O'Rourke", "Straße", "İnan", "a\u0301nima", "🥃 Dram"];
    expect(namesOf(names, query)).toEqual(expected);
  });

  it("all brands match a query that folds to an empty text", () => {
    expect(namesOf(["One", "Two"], "  \u0301")).toEqual(["One", "Two"]);
  });
});

describe("the links of a brand", () => {
  const producers = Array.from({ length: 41 }, (_, n) => uuid(n));

  it("the links of a brand are sorted and without duplicates", () => {
    expect(linksOf([uuid(2), uuid(1), uuid(2)])).toEqual([uuid(1), uuid(2)]);
  });

  it("a brand has at most 40 links, where duplicates count once", () => {
    expect(linksOf([...producers.slice(1), uuid(1)])).toHaveLength(40);
    expect(() => linksOf(producers)).toThrow(expect.objectContaining({ code: "limit_reached" }));
  });

  it("a brand cannot be linked to a producer that has 1,000 brands", () => {
    const counts = new Map([
      [uuid(1), 999],
      [uuid(2), 1000],
    ]);
    expect(() => assertRoom(counts, [uuid(1)])).not.toThrow();
    expect(() => assertRoom(counts, [uuid(1), uuid(2)])).toThrow(expect.objectContaining({ code: "limit_reached" }));
  });
});
