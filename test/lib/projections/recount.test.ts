import { expect, it } from "vitest";
import { type Effect } from "#lib/projections/effects.ts";
import { isRecounted } from "#lib/projections/recount.ts";
import { clockMargin } from "#lib/values/clock-margin.ts";

const [from, to] = [Date.parse("2026-11-21T12:00:00.000Z"), Date.parse("2026-11-21T12:05:00.000Z")];
const recounted = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
const madeAt = (time: number) => ({ at: new Date(time).toISOString() }) as Effect;

it("a change is not counted by a rebuild if there was none", () => {
  expect(isRecounted(undefined, madeAt(from))).toBe(false);
});

it.each([
  ["is counted if it was made before the rebuild, by more than the clocks may differ", from - clockMargin - 1, true],
  ["is not counted if it was made after the rebuild, by more than the clocks may differ", to + clockMargin + 1, false],
])("a change %s", (_, at, expected) => {
  expect(isRecounted(recounted, madeAt(at))).toBe(expected);
});

it.each([
  ["just before the rebuild, by another clock", from - clockMargin],
  ["when the rebuild began", from],
  ["during the rebuild", from + 1000],
  ["when the rebuild ended", to],
  ["just after the rebuild, by another clock", to + clockMargin],
])("a change that was made %s may have been counted or not, which is an error", (_, at) => {
  expect(() => isRecounted(recounted, madeAt(at))).toThrow("The change was made during a rebuild");
});
