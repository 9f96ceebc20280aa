import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import * as routes from "#lib/contract/brands.ts";
import { fold } from "#lib/domain/fold.ts";
import * as brands from "#lib/store/brands.ts";
import { startApi } from "../support/api.ts";
import { givenBy } from "../support/given.ts";

const api = startApi();

const list = (producer_id: string, query: Record<string, string | number> = {}) =>
  api.call(routes.list, { params: { producer_id }, as: { id: 50 }, query });

describe("the brands of a producer", () => {
  const producer = randomUUID();
  const special = [
    '"Quoted" Gin',
    "'Single' Malt",
    "100% Agave",
    "100 Agave",
    "50%_of_it",
    "_Underscore",
    "a\u0301nima",
    "Ánima Alta",
    "İnan",
    "Inan",
    "inan",
    "Straße",
    "Strasse",
    "strassf",
    "\ue000 private",
    "🥃 Dram",
    "👩‍🌾 Farm",
    "ÅNGSTRÖM",
    "Back\\slash",
    "Zwölf",
  ];
  const names = [...special, ...Array.from({ length: 130 - special.length }, (_, n) => `Brand ${(n * 37) % 110}`)];
  let inOrder: string[];
  beforeAll(async () => {
    const added: brands.StoredBrand[] = [];
    for (const name of names) added.push(await brands.add(api.table, { name, producer_ids: [producer] }, givenBy()));
    inOrder = added.toSorted(byFoldedName).map(({ id }) => id);
  });

  it("the brands of a producer are returned once each, in order, with any page size", async () => {
    for (let per = 1; per <= 100; per++) {
      const walked: string[] = [];
      for (let page = 1; walked.length < 130; page++) {
        const { body } = await list(producer, { page, per });
        expect(body).toMatchObject({ total: 130, page, per, has_more: page * per < 130 });
        expect(body.data).toHaveLength(Math.min(per, 130 - walked.length));
        walked.push(...body.data.map(({ id }) => id));
      }
      expect(walked).toEqual(inOrder);
    }
  });

  it("a page has 20 brands by default, at most 100, and none past the end", async () => {
    expect((await list(producer)).body).toMatchObject({ page: 1, per: 20, has_more: true });
    expect((await list(producer, { per: 5000 })).body).toMatchObject({ per: 100, total: 130 });
    expect((await list(producer, { page: 9, per: 20 })).body).toMatchObject({ total: 130, data: [], has_more: false });
  });

  it.each([
    ["%", ["100% Agave", "50%_of_it"]],
    ["_", ["50%_of_it", "_Underscore"]],
    ['"', ['"Quoted" Gin']],
    ["'", ["'Single' Malt"]],
    ["\\", ["Back\\slash"]],
    ["🥃", ["🥃 Dram"]],
    ["👩‍🌾", ["👩‍🌾 Farm"]],
    ["STRASSE", ["Straße", "Strasse"]],
    ["raß", ["Straße", "Strasse", "strassf"]],
    ["inan", ["İnan", "Inan", "inan"]],
    ["İNAN", ["İnan", "Inan", "inan"]],
    ["anima", ["a\u0301nima", "Ánima Alta"]],
    ["A\u0301nim", ["a\u0301nima", "Ánima Alta"]],
    ["ngstro", ["ÅNGSTRÖM"]],
    ["nothing like it", []],
  ])("brands are found by any part of their names: %s", async (query, expected) => {
    const { body } = await list(producer, { query });
    expect(body.total).toBe(expected.length);
    expect(body.data.map(({ name }) => name).toSorted()).toEqual([...expected].toSorted());
  });

  it("a search of brands is paged, and an empty query matches all", async () => {
    const { body } = await list(producer, { query: "brand", page: 3, per: 50 });
    expect({ total: body.total, has_more: body.has_more, count: body.data.length }).toEqual({
      total: 110,
      has_more: false,
      count: 10,
    });
    expect((await list(producer, { query: "" })).body.total).toBe(130);
    expect((await list(producer, { query: "  " })).body.total).toBe(130);
  });

  it("the list of brands of an unknown producer is empty, not 404", async () => {
    expect(await list(randomUUID())).toMatchObject({ status: 200, body: { total: 0, data: [], has_more: false } });
  });

  it.each<Record<string, string | number>>([{ page: 0 }, { per: 0 }, { per: "ten" }, { query: "q".repeat(121) }])(
    "a list of brands with %j is refused",
    async (query) => {
      expect(await list(producer, query)).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    },
  );
});

/** An independent implementation of `docs/api.md`, section 1, "Folding". */
function byFoldedName(a: { name: string; id: string }, b: { name: string; id: string }): number {
  const [one = [], two = []] = [a, b].map(({ name }) => Array.from(fold(name), (c) => c.codePointAt(0) ?? 0));
  const at = one.findIndex((point, n) => point !== two[n]);
  if (at === -1) return one.length - two.length || (a.id < b.id ? -1 : 1);
  return (one[at] ?? 0) - (two[at] ?? -1);
}
