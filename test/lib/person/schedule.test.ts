import { expect, it } from "vitest";
import { billingOf } from "#lib/billing/stripe.ts";
import { runSchedule, runScheduleAlone } from "#lib/person/schedule.ts";
import * as due from "#lib/store/due.ts";
import * as erasures from "#lib/store/erasures.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();
const minuteMs = 60_000;

/** People who are marked as erased, and nothing else of them. */
const marked = (count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const user = await users.find(money.table, (await money.aPerson()).id);
      if (!user) throw new Error("There is no profile");
      return erasures.begin(money.table, user, {}, undefined);
    }),
  );

let copies = 0;

/** A run of the schedule with the given durations of steps and erasures. */
async function run(
  spendMs: { readonly step: number; readonly erasure: number },
  { wholeMs = minuteMs, tasks = 5, runAs = runSchedule } = {},
) {
  // Tasks for members that do not exist.
  await write(
    money.table,
    Array.from({ length: tasks }, () => due.copyAgain(1, ++copies)),
  );
  let left = wholeMs;
  let steps = 0;
  const outside = {
    ...money.outside,
    async record(userId: number, at: string) {
      left -= spendMs.erasure;
      await money.outside.record(userId, at);
    },
  };
  const billing = billingOf(async () => money.stripe)(() => wholeMs);
  const onStep = () => {
    steps++;
    left -= spendMs.step;
  };
  const now = new Date(Date.now() + 1000);
  await runAs({ table: money.table, billing, now, outside }, { livemode: false, left: () => left, onStep });
  return steps;
}

const finishedOf = async (all: readonly erasures.Erasure[]) => {
  const found = await Promise.all(all.map(({ user_id }) => erasures.find(money.table, user_id)));
  return found.filter((erasure) => typeof erasure?.finished_at === "string").length;
};

it("a run of the schedule completes an erasure even if its other work takes all of its time", async () => {
  const all = await marked(1);
  expect(await run({ step: minuteMs, erasure: 0 })).toBeGreaterThan(0);
  expect(await finishedOf(all)).toBe(1);
});

it("many erasures leave three quarters of a run of the schedule for its other work", async () => {
  const all = await marked(10);
  expect(await run({ step: 0, erasure: 10_000 })).toBeGreaterThan(0);
  expect(await finishedOf(all)).toBe(2);
  await run({ step: 0, erasure: 0 });
  expect(await finishedOf(all)).toBe(10);
});

it.each([
  { whole: 60_000, used: 40_000, kept: "twenty seconds" },
  { whole: 30_000, used: 15_000, kept: "half" },
])("of $whole ms, a run of the schedule keeps $kept for the tasks that are in progress at its end", async (row) => {
  const { whole, used } = row;
  const spendMs = { step: 250, erasure: 0 };
  const steps = await run(spendMs, { wholeMs: used, tasks: 90 });
  expect(steps).toBeGreaterThan(0);
  expect(await run(spendMs, { wholeMs: whole, tasks: 90, runAs: runScheduleAlone as typeof runSchedule })).toBe(steps);
});
