import { expect, it } from "vitest";
import { groups } from "../../../client/cli/commands.ts";
import type { Schema } from "../../../client/cli/schema.ts";
import { unwrapped } from "../../../client/cli/schema.ts";
import { detailsOf, tableOf } from "../../../client/cli/table.ts";

it("a table has headings, aligned columns, and one line per record", () => {
  const lines = tableOf(["id", "user.email", "tier_ids", "is_blocked"]);
  expect(
    lines([
      { id: 1, user: { email: "ana@example.com" }, tier_ids: [11, 12], is_blocked: false },
      { id: 234, user: { email: null }, tier_ids: [], is_blocked: true },
    ]),
  ).toEqual([
    "id   user.email       tier_ids  is_blocked",
    "1    ana@example.com  11, 12    false",
    "234                             true",
  ]);
});

it("a table has its headings once, and keeps its column widths on the next page", () => {
  const lines = tableOf(["name", "n"]);
  expect(lines([])).toEqual([]);
  expect(lines([{ name: "Reposado", n: 1 }])).toEqual(["name      n", "Reposado  1"]);
  expect(lines([{ name: "Joven", n: 2 }])).toEqual(["Joven     2"]);
});

it("a cell is one line of at most 48 characters without control characters", () => {
  const [, line = ""] = tableOf(["name"])([{ name: `\u001B[31mAna\nLópez ${"x".repeat(50)}` }]);
  expect(line).toMatch(/^\[31mAna López x+…$/);
  expect(line).toHaveLength(48);
});

it("a character outside of the basic plane counts as one, for the limit and the width of a column", () => {
  const lines = tableOf(["name", "n"])([
    { name: "🥃".repeat(48), n: 1 },
    { name: "🥃".repeat(49), n: 2 },
  ]);
  expect(lines).toEqual([`name${" ".repeat(44)}  n`, `${"🥃".repeat(48)}  1`, `${"🥃".repeat(47)}…  2`]);
});

it("a cell has the values of a path through a list of objects", () => {
  expect(tableOf(["charges.id"])([{ charges: [{ id: "ch_1" }, { id: "ch_2" }] }])[1]).toBe("ch_1, ch_2");
});

it("the details of a record have a line per field, and a table per list of objects", () => {
  const record = { total: 2, by_status: { active: 1 }, until: null, tags: ["a", "b"], by_tier: [{ id: 11, n: 2 }] };
  expect(detailsOf(record)).toEqual([
    "total             2",
    "by_status.active  1",
    "until",
    "tags              a, b",
    "",
    "by_tier:",
    "id  n",
    "11  2",
  ]);
});

/** Paths of all fields of a schema, also of those in lists of objects. */
const pathsOf = (schema: Schema | undefined, parent = ""): string[] => {
  const { entries = {}, item } = schema ? unwrapped(schema) : {};
  if (item) return pathsOf(item, parent);
  return Object.entries(entries).flatMap(([name, entry]) => [
    `${parent}${name}`,
    ...pathsOf(entry, `${parent}${name}.`),
  ]);
};

it("every list has columns, which are fields of its records", () => {
  for (const [group, { commands }] of Object.entries(groups))
    for (const [name, { route, columns = [] }] of Object.entries(commands)) {
      const { data, has_more } = (route.output as unknown as Schema | undefined)?.entries ?? {};
      if (!data || !has_more) continue;
      const unknown = columns.filter((column) => !pathsOf(data).includes(column));
      expect({ group, name, hasColumns: columns.length > 0, unknown }).toMatchObject({ hasColumns: true, unknown: [] });
    }
});
