import * as v from "valibot";
import { daysAfter, type Periods } from "../domain/period.ts";
import { addSums, byMonth, isValue, type Metric, type Sums, type SumsByDay, sumNames } from "../domain/series.ts";
import { pick } from "../pick.ts";
import type { Item } from "./expression.ts";
import { keys } from "./keys.ts";
import { queryAll } from "./query-all.ts";
import type { Reader, Write } from "./table.ts";

/** A community's sums by day and by month. Only the projections and their rebuild write them. */
export type StoredSums = { readonly days: SumsByDay; readonly months: SumsByDay };

const [firstDay, lastDay] = ["0000-00-00", "9999-99-99"];
const [firstMonth, lastMonth] = ["0000-00", "9999-99"];

const StoredNumbers = v.record(v.picklist(sumNames), v.number());

/** Adds to the sums of days and of their months. */
export const addToDays = (communityId: number, days: SumsByDay): Write[] =>
  Object.entries({ ...days, ...byMonth(days) }).map(([on, sums]) => ({
    update: keys.sums(communityId, on),
    add: { ...sums },
  }));

/** Number of writes that `addToDays` returns. */
export const rowsOf = (days: readonly string[]): number =>
  new Set([...days, ...days.map((day) => day.slice(0, 7))]).size;

/** Replaces the sums of a day or month. */
export function putSums(communityId: number, on: string, sums: Sums): Write {
  const key = keys.sums(communityId, on);
  return Object.keys(sums).length === 0 ? { delete: key } : { put: { ...key, ...sums } };
}

/** Reads all sums of a community. */
export async function readSums(table: Reader, communityId: number): Promise<StoredSums> {
  const [days, months] = await Promise.all([
    sumsBetween(table, communityId, firstDay, lastDay),
    sumsBetween(table, communityId, firstMonth, lastMonth),
  ]);
  return { days: Object.fromEntries(days), months: Object.fromEntries(months) };
}

/** The sums of days or months, from `from` to `to`, both included. */
export async function sumsBetween(
  table: Reader,
  communityId: number,
  from: string,
  to: string,
): Promise<[on: string, sums: Sums][]> {
  const { pk, sk } = keys.sums(communityId, from);
  return from > to ? [] : (await queryAll(table, { pk, from: sk, to: keys.sums(communityId, to).sk })).map(sumsFrom);
}

/** The sums of an item other than 0, with the day or month at the end of its key. */
function sumsFrom(item: Item): [on: string, sums: Sums] {
  const numbers = v.parse(
    StoredNumbers,
    pick(
      item,
      sumNames.filter((name) => name in item),
    ),
  );
  return [String(item.sk).split("#")[1] ?? "", addSums({}, numbers)];
}

/**
 * The sums for the points of a metric, with the first day of their month, or with their day: one round trip. For a value
 * at the end of a period, these are all earlier sums: by month before the month of the first period, then by day.
 */
export async function rowsFor(
  table: Reader,
  communityId: number,
  metric: Metric,
  { starts: [first = ""], lastDay: end, interval }: Periods,
): Promise<[on: string, sums: Sums][]> {
  const ofMonth = first.slice(0, 7);
  const [month, day] = isValue(metric) ? [firstMonth, `${ofMonth}-01`] : [ofMonth, first];
  if (interval === "month") return onFirstDays(await sumsBetween(table, communityId, month, end.slice(0, 7)));
  const [months, days] = await Promise.all([
    isValue(metric) ? sumsBetween(table, communityId, month, daysAfter(day, -1).slice(0, 7)) : [],
    sumsBetween(table, communityId, day, end),
  ]);
  return [...onFirstDays(months), ...days];
}

const onFirstDays = (months: readonly [string, Sums][]) =>
  months.map(([month, sums]): [string, Sums] => [`${month}-01`, sums]);
