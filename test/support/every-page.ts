import { expect } from "vitest";

type Page<Item> = { readonly data: readonly Item[]; readonly has_more: boolean; readonly next_cursor: string | null };

/** The records on each page of a list, by its cursors. */
export async function pagesOf<Item>(pageAt: (cursor: string | undefined) => Promise<Page<Item>>): Promise<Item[][]> {
  const pages: Item[][] = [];
  for (let cursor: string | undefined; ; ) {
    const { data, has_more, next_cursor } = await pageAt(cursor);
    expect(has_more).toBe(next_cursor !== null);
    pages.push([...data]);
    if (next_cursor === null) return pages;
    cursor = next_cursor;
  }
}

/** The records on all pages of a list, by its cursors. */
export const everyPage = async <Item>(pageAt: (cursor: string | undefined) => Promise<Page<Item>>): Promise<Item[]> =>
  (await pagesOf(pageAt)).flat();
