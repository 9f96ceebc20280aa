import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { tables } from "#lib/fields/tables.ts";
import { keys } from "#lib/store/keys.ts";
import { current, fileOf, itemsOf, kindOf, oldest, oldestOf, released } from "./items.ts";

it.each(Object.entries(released))("the recorded items of %s are unchanged", (release, hash) => {
  expect(
    createHash("sha256")
      .update(readFileSync(fileOf(release)))
      .digest("hex"),
  ).toBe(hash);
});

it("every file of recorded items belongs to a release or to this version", () => {
  const files = readdirSync(fileOf(current).replace(/[^/]*$/, ""));
  expect(files.toSorted()).toEqual([...Object.keys(released), current].map((name) => `${name}.json`).toSorted());
});

it("this version has recorded an item of every kind", () => {
  const items = itemsOf(current);
  expect(Object.keys(items).toSorted()).toEqual(Object.keys(keys).toSorted());
  for (const [kind, stored] of Object.entries(items)) expect(stored.map(kindOf)).toEqual(stored.map(() => kind));
});

const records = readdirSync(oldest).map((file) => basename(file, ".json"));

describe("lib/fields/oldest", () => {
  it("lib/fields/oldest has an item for each record that has a table of fields", () => {
    expect(records.toSorted()).toEqual(Object.keys(tables).toSorted());
  });

  it.each(records)(
    "the oldest %s was recorded in the first release with this kind, and has the fewest attributes",
    (record) => {
      const first = Object.keys(released).find((release) => record in itemsOf(release)) ?? current;
      const stored = itemsOf(first)[record] ?? [];
      const fewest = Math.min(...stored.map((item) => Object.keys(item).length));
      expect(stored).toContainEqual(oldestOf(record));
      expect(Object.keys(oldestOf(record))).toHaveLength(fewest);
    },
  );
});
