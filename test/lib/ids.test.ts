import { describe, expect, it } from "vitest";
import { newId, newUuid, pastId, seededId, timeOf } from "#lib/ids.ts";
import { keys } from "#lib/store/keys.ts";

describe("an id", () => {
  it("an id is exact in JSON until the year 2094, and higher than ids of earlier milliseconds", () => {
    expect(Number.isSafeInteger(newId(new Date("2094-01-01"), Math.random))).toBe(true);
    expect(newId(new Date(1_800_000_000_001), Math.random)).toBeGreaterThan(
      newId(new Date(1_800_000_000_000), Math.random),
    );
  });

  it("ids have the same order in keys as their numbers", () => {
    const ids = [1, 9, 10, 4096, newId(new Date(), Math.random), Number.MAX_SAFE_INTEGER];
    expect(ids.map((id) => keys.member(1, id).sk).toSorted()).toEqual(ids.map((id) => keys.member(1, id).sk));
  });

  it("a seeded id is the same for the same time and seed, and differs for others", () => {
    const at = new Date(1_800_000_000_000);
    expect(seededId(at, "one")).toBe(seededId(at, "one"));
    expect(seededId(at, "one")).not.toBe(seededId(at, "two"));
    expect(seededId(new Date(at.getTime() + 1), "one")).toBeGreaterThan(seededId(at, "two"));
  });
});

describe("an id of the past", () => {
  const now = new Date("2026-11-21T12:00:00.000Z");

  it.each(["2025-02-01T00:00:00.000Z", "2026-11-20T12:00:00.000Z", "2026-11-21T11:59:59.999Z"])(
    "an id for the past time %s is within the following minute, and never in the future",
    (at) => {
      for (const drawn of [0, 0.5, 1 - 2 ** -53]) {
        const time = timeOf(pastId(new Date(at), () => drawn, now)).getTime() - Date.parse(at);
        expect(time).toBeGreaterThanOrEqual(0);
        expect(time).toBeLessThan(Math.min(60_000, now.getTime() - Date.parse(at)));
      }
    },
  );

  it("an id for a past time contains its own time", () => {
    expect(timeOf(newId(now, Math.random))).toEqual(now);
  });
});

it("every generated UUID has version 4", () => {
  for (const drawn of [0, 0.25, 0.5, 0.75, 1 - 2 ** -53])
    expect(newUuid(() => drawn)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(newUuid(Math.random)).not.toBe(newUuid(Math.random));
});
