import { expect, it } from "vitest";
import type { Odis } from "../../client/odis.ts";
import { readGroup } from "../../site/console/src/data/member-groups.ts";

type Page = { readonly count: number; readonly total: number | null; readonly next_cursor: string | null };

/** A client whose list has these pages. */
function clientOf(pages: readonly Page[]) {
  let read = 0;
  const get = async () => {
    const { count, ...page } = pages[read++] ?? { count: 0, total: null, next_cursor: null };
    return { data: Array.from({ length: count }, (_, n) => ({ id: n })), ...page };
  };
  return { get } as unknown as Odis;
}

it.each<[string, Page[], object]>([
  ["a whole page", [{ count: 7, total: 7, next_cursor: null }], { read: 7, count: 7, isMore: false }],
  ["a page with a total", [{ count: 100, total: 250, next_cursor: "c" }], { read: 100, count: 250, isMore: false }],
  ["a page without a total", [{ count: 100, total: null, next_cursor: "c" }], { read: 100, count: 100, isMore: true }],
  [
    "pages with fewer members than asked for",
    [
      { count: 60, total: null, next_cursor: "c" },
      { count: 0, total: null, next_cursor: "d" },
      { count: 15, total: null, next_cursor: null },
    ],
    { read: 75, count: 75, isMore: false },
  ],
])("the number of members of a group follows from %s", async (_, pages, expected) => {
  const { signal } = new AbortController();
  const { members, count, isMore } = await readGroup(clientOf(pages), 1, "access", { signal });
  expect({ read: members.length, count, isMore }).toEqual(expected);
});
