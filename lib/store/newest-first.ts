import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Item } from "./expression.ts";
import { type Key, type Kind, prefixOf } from "./keys.ts";
import { pageEnd } from "./page-end.ts";
import type { Reader } from "./table.ts";

export type Page = { readonly per: number; readonly cursor?: string | undefined };

/** Items of one kind in one partition, with sort keys in the order of time. */
type List = { readonly pk: string; readonly kind: Kind };

/**
 * One page of a list, newest first.
 *
 * @throws Problem `invalid_cursor`
 */
export async function pageByCursor<T>(table: Reader, list: List, { per, cursor }: Page, fromItem: (item: Item) => T) {
  const scope = [list.kind, list.pk];
  const { page, hasMore } = await readPage(table, list, { per, before: decodeCursor(scope, cursor) });
  const last = page.at(-1);
  return {
    has_more: hasMore,
    next_cursor: hasMore && last ? encodeCursor(scope, String(last.sk)) : null,
    data: page.map(fromItem),
  };
}

type PageRange = {
  readonly per: number;
  /** Sort key of the last item of the previous page. */
  readonly before?: string | undefined;
  readonly isOldestFirst?: boolean;
};

/** One page of a list, newest first or oldest first, and whether further items exist. */
export async function readPage(table: Reader, { pk, kind }: List, { per, before, isOldestFirst = false }: PageRange) {
  const { sk: prefix } = prefixOf(kind);
  const items: Item[] = [];
  let after: Key | undefined = before === undefined ? undefined : { pk, sk: before };
  do {
    const read = await table.query({ pk, prefix, after, descending: !isOldestFirst, limit: per + 1 - items.length });
    items.push(...read.items);
    after = read.last;
  } while (after && pageEnd(items, per) === undefined);
  const page = items.slice(0, pageEnd(items, per));
  return { page, hasMore: page.length < items.length };
}
