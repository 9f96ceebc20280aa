import { validationFailed } from "../problem.ts";
import type { Interval, SeriesQuery } from "./series.ts";

const day = 86_400_000;

/** Maximum number of points of a series. */
const mostPoints = 400;

const defaults: Readonly<Record<Interval, number>> = { day: 30, week: 12, month: 12 };

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

const timeOf = (on: string): number => Date.parse(`${on}T00:00:00Z`);

/** The day a number of days later; earlier if the number is negative. */
export const daysAfter = (on: string, days: number): string => dayOf(new Date(timeOf(on) + days * day));

/** The first day of the period that a day is in. */
function startOf(interval: Interval, on: string): string {
  if (interval === "month") return `${on.slice(0, 7)}-01`;
  return interval === "week" ? daysAfter(on, -((new Date(on).getUTCDay() + 6) % 7)) : on;
}

/** The first day of the period `by` periods later; earlier if `by` is negative. */
function shifted(interval: Interval, start: string, by: number): string {
  if (interval !== "month") return daysAfter(start, by * (interval === "week" ? 7 : 1));
  const months = Number(start.slice(0, 4)) * 12 + Number(start.slice(5, 7)) - 1 + by;
  return `${String(Math.floor(months / 12)).padStart(4, "0")}-${String((months % 12) + 1).padStart(2, "0")}-01`;
}

/** Number of periods from that of one day to that of another. */
function distance(interval: Interval, from: string, to: string): number {
  if (interval !== "month") return (timeOf(to) - timeOf(from)) / day / (interval === "week" ? 7 : 1);
  const months = (start: string) => Number(start.slice(0, 4)) * 12 + Number(start.slice(5, 7));
  return months(to) - months(from);
}

/** The periods of a series: the first day of each, and the last day of the last one. */
export type Periods = {
  readonly interval: Interval;
  readonly starts: readonly string[];
  readonly lastDay: string;
};

/**
 * The periods from that of `from` to that of `to`.
 *
 * @throws Problem `validation_failed` for more than 400 periods, or for a `to` before `from`
 */
export function periodsOf({ interval, from, to }: Omit<SeriesQuery, "metric">, now: Date): Periods {
  const until = to ?? dayOf(now);
  if (from !== undefined && until < from)
    throw validationFailed([
      to === undefined
        ? { parameter: "from", code: "conflicts", message: "must not be after today" }
        : { parameter: "to", code: "conflicts", message: "must not be before from" },
    ]);
  const last = startOf(interval, until);
  const first = from === undefined ? shifted(interval, last, 1 - defaults[interval]) : startOf(interval, from);
  const count = distance(interval, first, last) + 1;
  if (count > mostPoints)
    throw validationFailed([
      { parameter: "from", code: "too_many", message: `must be at most ${mostPoints} points before to` },
    ]);
  const starts = Array.from({ length: count }, (_, n) => shifted(interval, first, n));
  return { interval, starts, lastDay: daysAfter(shifted(interval, last, 1), -1) };
}
