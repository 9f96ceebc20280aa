import * as v from "valibot";
import { documented } from "../values/documented.ts";
import { IntegerParameter } from "../values/scalars.ts";

/** `per` of every list: 20 where absent, and above 100 it counts as 100. */
export const Per = v.optional(
  v.pipe(
    IntegerParameter,
    v.transform((per) => Math.min(per, 100)),
  ),
  "20",
);

/** What the documents say of the query parameters of lists. */
export const pageQueryDocs = {
  page: ["Number of the page, starting at 1.", "1"],
  per: ["Maximum number of records on a page. Values above 100 count as 100.", "20"],
} as const;
export const cursorQueryDocs = {
  per: pageQueryDocs.per,
  cursor: "The `next_cursor` of the previous page, for the same filters. Omit it for the first page.",
} as const;

/** What the documents say of the fields around a page's records. */
export const pageDocs = {
  total: ["Total number of records on all pages.", 1],
  has_more: "Whether there is another page.",
  page: ["Number of this page.", 1],
  per: ["Maximum number of records on a page.", 20],
  data: "The records on this page.",
} as const;
export const cursorPageDocs = {
  has_more: pageDocs.has_more,
  next_cursor: "The `cursor` of the next page. `null` on the last page.",
  data: pageDocs.data,
} as const;

/** Query parameters of a list that is walked by page number. */
export const PageQuery = documented(v.object({ page: v.optional(IntegerParameter, "1"), per: Per }), pageQueryDocs);

/** The opaque `cursor` of a list that is walked from page to page. */
export const Cursor = v.optional(v.pipe(v.string(), v.maxLength(512)));

export const Total = v.pipe(v.number(), v.integer(), v.minValue(0));

/** One page of records, cut out of all of them: `total` and `has_more` are exact. */
export function pageOf<T>(all: readonly T[], { page, per }: { page: number; per: number }) {
  const start = (page - 1) * per;
  return { total: all.length, has_more: start + per < all.length, page, per, data: all.slice(start, start + per) };
}
