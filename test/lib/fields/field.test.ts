import * as v from "valibot";
import { expect, it } from "vitest";
import {
  defineFields,
  erasedRecord,
  erasedValues,
  setBy,
  shownEntries,
  shownIn,
  storedEntries,
  valuesBefore,
} from "#lib/fields/field.ts";

type Terms = { readonly oldest: "id" | "name"; readonly set: "post" | "patch"; readonly shown: "api" | "event" };

type Visit = { readonly at: string; readonly note: string | null };
const withoutNotes = (visits: Visit[]): Visit[] => visits.map((visit) => ({ ...visit, note: null }));

const guest = defineFields<Terms>()({
  id: { stored: v.number(), set: [], shown: ["api", "event"], personal: false },
  name: { stored: v.string(), set: ["post", "patch"], shown: ["api"], personal: { erased: "" } },
  initials: { made: v.string(), shown: ["api"] },
  seat: {
    stored: v.nullable(v.number()),
    as: v.string(),
    before: null,
    set: ["patch"],
    shown: ["api"],
    personal: false,
  },
  visits: {
    stored: v.array(v.object({ at: v.string(), note: v.nullable(v.string()) })),
    before: [],
    set: [],
    shown: [],
    personal: { reduced: withoutNotes },
  },
  erased_at: { stored: v.string(), before: undefined, set: [], shown: [], personal: false },
  language: {
    stored: v.string(),
    before: "en",
    set: ["patch"],
    shown: [],
    personal: { erased: (language: string) => language.slice(0, 2) },
  },
});

it("an item of the first release is parsed with the `before` values of the fields that it lacks", () => {
  const Stored = v.object(storedEntries(guest));
  expect(v.parse(Stored, { id: 1, name: "Ana" })).toEqual({
    id: 1,
    name: "Ana",
    seat: null,
    visits: [],
    language: "en",
  });
});

it("parsing fails for an item that lacks a field without a `before` value", () => {
  expect(v.is(v.object(storedEntries(guest)), { id: 1 })).toBe(false);
});

it("shownEntries returns the fields of an output in the order of the table, with the schemas of the shown values", () => {
  const Shown = v.object(shownEntries(guest, "api"));
  expect(Object.keys(Shown.entries)).toEqual(["id", "name", "initials", "seat"]);
  expect(v.is(Shown, { id: 1, name: "Ana", initials: "A", seat: "12" })).toBe(true);
});

it("shownIn and setBy return field names in the order of the table", () => {
  expect(shownIn(guest, "event")).toEqual(["id"]);
  expect(shownIn(guest, "event", "api")).toEqual(["id", "name", "initials", "seat"]);
  expect(setBy(guest, "patch")).toEqual(["name", "seat", "language"]);
});

it("valuesBefore omits fields whose `before` is undefined", () => {
  expect(valuesBefore(guest)).toEqual({ seat: null, visits: [], language: "en" });
});

it("an erasure replaces or reduces personal values and adds no absent fields", () => {
  const visits = [{ at: "2026-11-05", note: "Came with her sister" }];
  expect(erasedValues(guest, { id: 1, name: "Ana", seat: 12, visits, language: "en-GB" })).toEqual({
    name: "",
    visits: [{ at: "2026-11-05", note: null }],
    language: "en",
  });
  expect(erasedValues(guest, { id: 1, name: "Ana", seat: 12 })).toEqual({ name: "" });
  expect(erasedRecord(guest, { id: 1, name: "Ana", seat: 12 })).toEqual({ id: 1, name: "", seat: 12 });
});
