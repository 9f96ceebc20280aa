import { describe, expect, it } from "vitest";
import { queryTable, recordTable } from "../../../tools/build/field-table.ts";

const rowOf = (table: string, name: string) => table.split("\n").find((row) => row.startsWith(`| \`${name}\` |`));

describe("the table of a record", () => {
  it.each([
    ["Tier", "name", "| `name` | string, 1 to 120 characters | `POST` (required), `PATCH` | Name of the tier. |"],
    [
      "Tier",
      "trial_days",
      "| `trial_days` | integer, 0 to 730, default `0` | `POST`, `PATCH` | Length of the free trial in days. Has no effect while the monthly price is 0. |",
    ],
    ["Member", "cancel_at", expect.stringContaining("| timestamp or null | |")],
    ["Member", "user", expect.stringContaining("| object: `id`, `username`, `email`, `first_name`, `last_name` | |")],
    ["Community", "status", expect.stringContaining("| `active` or `archived` | `PATCH` (admins) |")],
    ["Community", "avatar_url", expect.stringContaining("| URL, 1 to 2,000 characters or null, default `null` |")],
    ["Destination", "events", expect.stringContaining("| list of 1 to 50 strings | `POST` (required), `PATCH` |")],
    ["RefundEntry", "note", "| `note` | string or null | Note given with the request. `null` if there is none. |"],
  ])("the table of a record has in the row of %s.%s its type, limits, default and requests", (name, field, row) => {
    expect(rowOf(recordTable(name), field)).toEqual(row);
  });

  it("the table of a record has rows for the fields of nested objects", () => {
    const table = recordTable("Tier");
    expect(rowOf(table, "benefits[].name")).toBe("| `benefits[].name` | string | | Name of the benefit. |");
  });

  it("the table of a record adds a request's own description of a field", () => {
    expect(rowOf(recordTable("Benefit"), "tier_ids")).toMatch(/In a `PATCH`: Identifiers .* Replaces the list\. \|$/);
  });

  it("recordTable throws for a schema that does not exist", () => {
    expect(() => recordTable("Unknown")).toThrow("no schema Unknown");
  });
});

describe("the table of query parameters", () => {
  it("the table of query parameters has the type, the default and whether a parameter is required", () => {
    const table = queryTable("CommunitiesSeries");
    expect(rowOf(table, "metric")).toContain("or `disputed`, required |");
    expect(rowOf(table, "interval")).toContain("| `day`, `week` or `month`, default `day` |");
  });

  it("queryTable throws for an operation that does not exist", () => {
    expect(() => queryTable("Unknown")).toThrow("no operation Unknown");
  });
});
