import * as v from "valibot";
import { IntegerParameter, isDay, rule } from "../values/scalars.ts";

/** The parameter `per` of lists. Default 20; values above 100 count as 100. */
export const Per = v.optional(
  v.pipe(
    IntegerParameter,
    v.transform((per) => Math.min(per, 100)),
  ),
  "20",
);

/** Query parameters of a list with page numbers. */
export const PageQuery = v.object({ page: v.optional(IntegerParameter, "1"), per: Per });

/** The opaque parameter `cursor` of a list. */
export const Cursor = v.optional(v.pipe(v.string(), v.maxLength(512)));

/** A day in UTC: `2026-11-03`. */
export const Day = v.pipe(
  v.string(),
  v.regex(/^[12]\d{3}-\d\d-\d\d$/, "must be a date like 2026-11-03"),
  rule("invalid_format", isDay, "must be a date that exists"),
  v.metadata({ format: "date" }),
);

/** Requires that the parameter `to` of a list is not before `from`, if both are days. */
export const daysInOrder = <T extends { readonly from?: string | undefined; readonly to?: string | undefined }>() =>
  rule<T>(
    "conflicts",
    ({ from = "", to = "" }) => !(isDay(from) && isDay(to)) || from <= to,
    "must not be before from",
  );

export const Total = v.pipe(v.number(), v.integer(), v.minValue(0));

/** One page of all records. `total` and `has_more` are exact. */
export function pageOf<T>(all: readonly T[], { page, per }: { page: number; per: number }) {
  const start = (page - 1) * per;
  return { total: all.length, has_more: start + per < all.length, page, per, data: all.slice(start, start + per) };
}
