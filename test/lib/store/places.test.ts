import { expect, it } from "vitest";
import { connect } from "#lib/store/table.ts";
import { takePlace } from "#lib/store/usage.ts";
import { startTable } from "../../support/direct.ts";

const test = startTable();

const start = Date.UTC(2026, 10, 21, 12);

/** Takes places one after the other, at a time in milliseconds after the start. */
async function take(name: string, count: number, { after = 0, random = Math.random } = {}) {
  const runtime = { ...test.table.runtime, now: () => new Date(start + after), random };
  const table = connect(test.client, test.name, runtime)();
  const waits: (number | undefined)[] = [];
  for (let n = 0; n < count; n++) waits.push(await takePlace(table, { name, perSecond: 3, ahead: 2 }));
  return waits;
}

it("takePlace assigns the places of the current second first, then places in the next seconds", async () => {
  const waits = await take("one", 6);
  expect(waits.slice(0, 3)).toEqual([0, 0, 0]);
  for (const wait of waits.slice(3)) {
    expect(wait).toBeGreaterThanOrEqual(1000);
    expect(wait).toBeLessThan(3000);
  }
});

it("takePlace assigns at most 3 places per second, and returns undefined if all are taken", async () => {
  const waits = await take("two", 60);
  const taken = Object.groupBy(waits, (wait) => (wait === undefined ? "none" : Math.floor(wait / 1000)));
  expect(Object.entries(taken).map(([second, places]) => `${second}: ${places?.length}`)).toEqual([
    "0: 3",
    "1: 3",
    "2: 3",
    "none: 51",
  ]);
});

it("takePlace assigns places without a wait again once the next second has begun", async () => {
  await take("three", 3);
  expect(await take("three", 1, { after: 1000 })).toEqual([0]);
});
