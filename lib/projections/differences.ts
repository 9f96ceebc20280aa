import { isDeepStrictEqual } from "node:util";
import type { Figures } from "../domain/figures.ts";
import { byMonth, type SumsByDay, sumNames } from "../domain/series.ts";
import { type DirectoryRow, rowFrom } from "../store/directory-rows.ts";
import type { Item } from "../store/expression.ts";
import type { StoredSums } from "../store/series.ts";

/** Descriptions of differences between stored and counted figures: `members active/11/open is 4, not 3`. */
export function differences(kept: Figures, counted: Figures): string[] {
  const sums = (["members", "joined", "left", "refunded_cents"] as const).flatMap((name) =>
    [...new Set([...Object.keys(kept[name]), ...Object.keys(counted[name])])].toSorted().flatMap((key) => {
      return differ(`${name} ${key}`, kept[name][key] ?? 0, counted[name][key] ?? 0);
    }),
  );
  return [
    ...sums,
    ...differ("monthly_cents", kept.monthly_cents, counted.monthly_cents),
    ...differ("joiners", kept.joiners, counted.joiners),
    ...(isSameScore(kept.trend_score, counted.trend_score)
      ? []
      : differ("trend_score", kept.trend_score, counted.trend_score)),
  ];
}

/** Descriptions of differences between stored and counted sums of days and months: `joined 2026-11-03 is 4, not 3`. */
export const sumDifferences = (kept: StoredSums, counted: SumsByDay): string[] =>
  wrongSums(kept, counted).flatMap(({ on, was, is }) =>
    sumNames.flatMap((name) => differ(`${name} ${on}`, was[name] ?? 0, is[name] ?? 0)),
  );

/** The days and months whose stored and counted sums differ, with both sums. */
export function wrongSums(kept: StoredSums, counted: SumsByDay) {
  const pairs = [
    { was: kept.days, is: counted },
    { was: kept.months, is: byMonth(counted) },
  ];
  return pairs.flatMap(({ was, is }) =>
    [...new Set([...Object.keys(was), ...Object.keys(is)])].toSorted().flatMap((on) => {
      const both = { on, was: was[on] ?? {}, is: is[on] ?? {} };
      return sumNames.some((name) => (both.was[name] ?? 0) !== (both.is[name] ?? 0)) ? [both] : [];
    }),
  );
}

/** Returns how a directory row differs from the expected one. The row of an unlisted community may be missing. */
export function rowDifferences(item: Item | undefined, wanted: DirectoryRow | undefined): string[] {
  if (!wanted) return [];
  if (!item) return wanted.is_listed ? ["the directory row is missing"] : [];
  const kept = rowFrom(item);
  if (!wanted.is_listed) return kept.is_listed ? ["the directory row should not be listed"] : [];
  const names = Object.keys(wanted) as (keyof DirectoryRow)[];
  return names
    .filter((name) => !isSame(kept[name], wanted[name]))
    .map((name) => `the directory row's ${name} is ${JSON.stringify(kept[name])}, not ${JSON.stringify(wanted[name])}`);
}

const differ = (what: string, kept: number | null, counted: number | null): string[] =>
  kept === counted ? [] : [`${what} is ${kept}, not ${counted}`];

const isSame = (a: unknown, b: unknown): boolean =>
  typeof a === "number" && typeof b === "number" ? isSameScore(a, b) : isDeepStrictEqual(a, b);

/** Compares scores with a tolerance, because the last digits depend on the order of joins. */
const isSameScore = (a: number | null, b: number | null): boolean =>
  a === b || (a !== null && b !== null && Math.abs(a - b) < 1e-6);
