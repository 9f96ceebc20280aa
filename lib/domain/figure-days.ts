import type { Figures } from "./figures.ts";

const day = 86_400_000;

/** Number of days that figures cover, including today. */
const shownDays = 30;

/** The first day, in UTC, of the last `days`. */
const firstOf = (days: number, now: Date): string =>
  new Date(now.getTime() - (days - 1) * day).toISOString().slice(0, 10);

/** The sum of the last 30 days. */
export const inLastDays = (byDay: Readonly<Record<string, number>>, now: Date): number =>
  Object.values(since(byDay, firstOf(shownDays, now))).reduce((total, count) => total + count, 0);

/** Removes old days from figures. Keeps one more day than is shown, because clocks differ. */
export function keepDays(figures: Figures, now: Date): Figures {
  const first = firstOf(shownDays + 1, now);
  return {
    ...figures,
    joined: since(figures.joined, first),
    left: since(figures.left, first),
    refunded_cents: since(figures.refunded_cents, first),
  };
}

const since = (byDay: Readonly<Record<string, number>>, first: string): Record<string, number> =>
  Object.fromEntries(Object.entries(byDay).filter(([on]) => on >= first));
