import * as v from "valibot";
import { IntegerParameter } from "../values/scalars.ts";

/** `per` of every list: 20 where absent, and above 100 it counts as 100. */
export const Per = v.optional(
  v.pipe(
    IntegerParameter,
    v.transform((per) => Math.min(per, 100)),
  ),
  "20",
);

/** Query parameters of a list that is walked by page number. */
export const PageQuery = v.object({ page: v.optional(IntegerParameter, "1"), per: Per });

/** The opaque `cursor` of a list that is walked from page to page. */
export const Cursor = v.optional(v.pipe(v.string(), v.maxLength(512)));

export const Total = v.pipe(v.number(), v.integer(), v.minValue(0));

/** One page of records, cut out of all of them: `total` and `has_more` are exact. */
export function pageOf<T>(all: readonly T[], { page, per }: { page: number; per: number }) {
  const start = (page - 1) * per;
  return { total: all.length, has_more: start + per < all.length, page, per, data: all.slice(start, start + per) };
}
