import { expect, it } from "vitest";
import { isOtherInterval, isScheduled, isTakenBack, type Scheduled } from "#lib/domain/scheduled-change.ts";

const december = "2026-12-01T00:00:00.000Z";
const plan = { tier: { id: 2, name: "Cask" }, interval: "month" as const, price_cents: 900, at: december };
const member: Scheduled = {
  tier_id: 1,
  interval: "month",
  scheduled_change: null,
  price_cents: 2500,
  current_period_end: december,
};
const planned: Scheduled = { ...member, scheduled_change: plan };
const renewed = { ...member, current_period_end: "2027-01-01T00:00:00.000Z" };

it.each<[string, Scheduled | undefined, Partial<typeof plan> | null, boolean]>([
  ["nothing", planned, null, false],
  ["the first one", member, {}, true],
  ["the first one of a new member", undefined, {}, true],
  ["the same one", planned, {}, false],
  ["the same one with another name of the tier", planned, { tier: { id: 2, name: "Barrel" } }, false],
  ["one to another tier", planned, { tier: { id: 3, name: "Cask" } }, true],
  ["one to another interval", planned, { interval: "year" as never }, true],
  ["one to another price", planned, { price_cents: 800 }, true],
  ["one at another time", planned, { at: "2026-12-02T00:00:00.000Z" }, true],
])("whether a change was scheduled, if the schedule has %s, is as expected", (_, before, over, expected) => {
  const scheduled_change = over && { ...plan, ...over };
  expect(isScheduled(before, { ...member, scheduled_change })).toBe(expected);
});

const priceOnly: Scheduled = { ...planned, scheduled_change: { ...plan, tier: { id: 1, name: "Barrel" } } };

it.each<[string, Scheduled | undefined, Scheduled, boolean]>([
  ["there was none", member, member, false],
  ["the member is new", undefined, member, false],
  ["it is still scheduled", planned, planned, false],
  ["it is gone", planned, member, true],
  ["it was made", planned, { ...renewed, tier_id: 2, price_cents: 900 }, false],
  ["the tier changed but not the interval", planned, { ...renewed, tier_id: 2, interval: "year" }, true],
  ["a change of the price alone is gone", priceOnly, member, true],
  ["a change of the price alone was made in this period", priceOnly, { ...member, price_cents: 900 }, false],
  ["a change of the price alone was made at the end of the period", priceOnly, { ...renewed, price_cents: 900 }, false],
  ["a change of the price alone was made, and the price has changed again", priceOnly, renewed, false],
])("whether a scheduled change was dropped, if %s, is as expected", (_, before, after, expected) => {
  expect(isTakenBack(before, after)).toBe(expected);
});

it.each<[Scheduled["interval"] | undefined, Scheduled["interval"], boolean]>([
  ["month", "year", true],
  ["year", "month", true],
  ["month", "month", false],
  ["month", null, false],
  [null, "month", false],
  [undefined, "month", false],
])("whether the interval changed from %s to %s is %s", (before, interval, expected) => {
  const earlier = before === undefined ? undefined : { ...member, interval: before };
  expect(isOtherInterval(earlier, { ...member, interval })).toBe(expected);
});
