import type { Interval } from "./objects/catalog.ts";

export const day = 86_400;

/**
 * The end of the period that begins at `start`. Periods are counted from the anchor, so that a subscription of the 31st
 * returns to the 31st after a February.
 */
export function periodEnd(start: number, anchor: number, { interval, interval_count: count }: Interval): number {
  if (interval === "day" || interval === "week") {
    const length = count * day * (interval === "week" ? 7 : 1);
    return anchor + length * (Math.floor((start - anchor) / length) + 1);
  }
  const months = count * (interval === "year" ? 12 : 1);
  let end = anchor;
  for (let n = 1; end <= start; n++) end = monthsLater(anchor, n * months);
  return end;
}

/** The period of an interval that contains a moment, counted from an anchor before it. */
export function periodAround(moment: number, anchor: number, interval: Interval): { start: number; end: number } {
  let start = anchor;
  let end = periodEnd(start, anchor, interval);
  while (end <= moment) {
    start = end;
    end = periodEnd(start, anchor, interval);
  }
  return { start, end };
}

/** The same time of the same day, or of the last day, of a later month. */
export function monthsLater(moment: number, months: number): number {
  const date = new Date(moment * 1000);
  const dayOfMonth = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const daysInMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(dayOfMonth, daysInMonth));
  return Math.floor(date.getTime() / 1000);
}
