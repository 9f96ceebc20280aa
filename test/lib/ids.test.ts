import { describe, expect, it } from "vitest";
import { newId } from "#lib/ids.ts";
import { keys } from "#lib/store/keys.ts";

describe("an id", () => {
  it("is exact in JSON until the year 2094 and later than one of a millisecond before", () => {
    expect(Number.isSafeInteger(newId(new Date("2094-01-01")))).toBe(true);
    expect(newId(new Date(1_800_000_000_001))).toBeGreaterThan(newId(new Date(1_800_000_000_000)));
  });

  it("sorts in keys as it does as a number", () => {
    const ids = [1, 9, 10, 4096, newId(new Date()), Number.MAX_SAFE_INTEGER];
    expect(ids.map((id) => keys.member(1, id).sk).toSorted()).toEqual(ids.map((id) => keys.member(1, id).sk));
  });

  it("is the same for the same moment and seed, and another for another", () => {
    const at = new Date(1_800_000_000_000);
    expect(newId(at, "one")).toBe(newId(at, "one"));
    expect(newId(at, "one")).not.toBe(newId(at, "two"));
    expect(newId(new Date(at.getTime() + 1), "one")).toBeGreaterThan(newId(at, "two"));
  });
});
