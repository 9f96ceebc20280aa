import { describe, expect, it } from "vitest";
import { actionOf, alteredBy } from "#lib/store/altered.ts";

type Record = { name: string; badge: string | null; tier_ids: number[]; price?: number | undefined };

const record: Record = { name: "Reserva", badge: null, tier_ids: [1, 2], price: 25 };

describe("what changes alter of a record", () => {
  const cases: readonly (readonly [Partial<Record>, ReturnType<typeof alteredBy<Record>>])[] = [
    [{}, undefined],
    [{ name: "Reserva", badge: null, tier_ids: [1, 2] }, undefined],
    [{ price: undefined }, undefined],
    [{ price: 30 }, { before: { price: 25 }, after: { price: 30 } }],
    [
      { name: "Reserva", price: 30 },
      { before: { price: 25 }, after: { price: 30 } },
    ],
    [{ badge: "Gold" }, { before: { badge: null }, after: { badge: "Gold" } }],
    [{ tier_ids: [2] }, { before: { tier_ids: [1, 2] }, after: { tier_ids: [2] } }],
    [
      { name: "Oro", price: 30 },
      { before: { name: "Reserva", price: 25 }, after: { name: "Oro", price: 30 } },
    ],
  ];
  it.each(cases)("for the changes %j to a record, altered returns %j", (changes, altered) => {
    expect(alteredBy(record, changes)).toEqual(altered);
  });
});

it.each<readonly [Parameters<typeof actionOf>[0] & { name?: string }, string]>([
  [{ name: "Oro" }, "edited"],
  [{ name: "Oro", status: "archived" }, "archived"],
  [{ status: "active" }, "unarchived"],
  [{ name: "Oro", status: "archived", owner_id: 7 }, "transferred"],
  [{ owner_id: 7 }, "transferred"],
])("the action of an edit to %j is %s", (after, action) => {
  expect(actionOf(after)).toBe(action);
});
