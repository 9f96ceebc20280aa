import { describeFields } from "../values/documented.ts";
import { PageQuery } from "./page.ts";

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

describeFields(PageQuery, pageQueryDocs);
