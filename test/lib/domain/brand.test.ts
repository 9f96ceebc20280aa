import { describe, expect, it } from "vitest";
import { assertRoom, linksOf, named } from "#lib/domain/brand.ts";

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const brand = (name: string, n = 0) => ({ id: uuid(n), name });
const namesOf = (names: readonly string[], query?: string) => named(names.map(brand), query).map(({ name }) => name);

describe("brands by name", () => {
  it("stand by their folded names in code point order", () => {
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

  it("stand by id where their names fold to the same, whatever the name holds", () => {
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
  ])("are found by any part of the name: %s", (query, expected) => {
    const names = ["100% Agave", "_Underscore", "O'Rourke", "Straße", "İnan", "a\u0301nima", "🥃 Dram"];
    expect(namesOf(names, query)).toEqual(expected);
  });

  it("are all there for a query that folds to nothing", () => {
    expect(namesOf(["One", "Two"], "  \u0301")).toEqual(["One", "Two"]);
  });
});

describe("the links of a brand", () => {
  const producers = Array.from({ length: 41 }, (_, n) => uuid(n));

  it("name each producer once, sorted", () => {
    expect(linksOf([uuid(2), uuid(1), uuid(2)])).toEqual([uuid(1), uuid(2)]);
  });

  it("are forty at most, repeats not counted", () => {
    expect(linksOf([...producers.slice(1), uuid(1)])).toHaveLength(40);
    expect(() => linksOf(producers)).toThrow(expect.objectContaining({ code: "limit_reached" }));
  });

  it("need room at the producers that they are added to", () => {
    const counts = new Map([
      [uuid(1), 999],
      [uuid(2), 1000],
    ]);
    expect(() => assertRoom(counts, [uuid(1)])).not.toThrow();
    expect(() => assertRoom(counts, [uuid(1), uuid(2)])).toThrow(expect.objectContaining({ code: "limit_reached" }));
  });
});
