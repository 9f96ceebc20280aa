import * as v from "valibot";
import { expect, it } from "vitest";
import { CommunityActivityQuery } from "#lib/domain/activity.ts";
import { MovementQuery } from "#lib/domain/movement-list.ts";
import { PageQuery, pageOf } from "#lib/domain/page.ts";
import { TransactionQuery } from "#lib/domain/transaction.ts";

it.each([
  ["activity", CommunityActivityQuery],
  ["movements", MovementQuery],
  ["transactions", TransactionQuery],
] as const)("a list of %s can be of one day, and not of days in the wrong order or that do not exist", (_, schema) => {
  const issuesOf = (from: string, to: string) =>
    v.safeParse<v.GenericSchema>(schema, { from, to }).issues?.map((issue) => v.getDotPath(issue));
  expect(issuesOf("2026-11-02", "2026-11-02")).toBeUndefined();
  expect(issuesOf("2026-11-02", "2026-12-01")).toBeUndefined();
  expect(issuesOf("2026-11-02", "2026-11-01")).toEqual(["to"]);
  expect(issuesOf("2026-02-30", "2026-03-01")).toEqual(["from"]);
});

it.each([
  [undefined, 20],
  ["1", 1],
  ["100", 100],
  ["101", 100],
])("a list with per=%s has pages of %i", (per, expected) => {
  expect(v.parse(PageQuery, { per }).per).toBe(expected);
});

it.each([
  [1, ["a", "b"], true],
  [2, ["c", "d"], false],
  [3, [], false],
])("page %i of four records in pages of two is as expected", (page, data, has_more) => {
  expect(pageOf(["a", "b", "c", "d"], { page, per: 2 })).toEqual({ total: 4, has_more, page, per: 2, data });
});
