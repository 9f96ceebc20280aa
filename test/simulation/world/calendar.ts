import { Chance } from "../chance.ts";

const day = 86_400_000;

/**
 * Days on which calendars are irregular: ends of months that are followed by shorter ones, a leap day, the end of a
 * year, and changes to and from daylight saving time in Europe and North America.
 */
const irregularDays = [
  "2026-01-31",
  "2027-05-31",
  "2027-12-31",
  "2028-01-29",
  "2028-02-29",
  "2026-03-29",
  "2026-10-25",
  "2027-03-14",
  "2027-11-07",
];

/** The time at which a history begins. Six of ten histories begin on an irregular day or shortly before. */
export function startOf(seed: string): number {
  const chance = new Chance(`${seed} start`);
  if (chance.is(0.4)) return Date.UTC(2026, 0, 5, 9);
  return Date.parse(chance.pick(irregularDays) ?? "") + Math.floor((chance.next() * 3 - 2) * day);
}
