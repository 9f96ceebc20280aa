import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { resources } from "./prod.ts";

type Alarm = {
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm: number;
  readonly Metrics: readonly {
    readonly Id: string;
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: { readonly MetricName: string }; readonly Period: number };
  }[];
};

/** How alarms on the share of failed requests are written. */
const rateOfErrors = /^IF\(errors >= (\d+), 100 \* errors \/ requests, 0\)$/;

/** What an alarm on failed requests needs, as CloudWatch reads it from the template. */
function conditionOf(name: string) {
  const alarms = Object.values(resources<Alarm & { AlarmName: string }>("AWS::CloudWatch::Alarm"));
  const alarm = alarms.find(({ Properties }) => Properties.AlarmName === `odis-prod-${name}`)?.Properties;
  const { Metrics = [], Threshold = Number.NaN, ...rest } = alarm ?? {};
  expect(rest).toMatchObject({
    ComparisonOperator: "GreaterThanOrEqualToThreshold",
    EvaluationPeriods: 1,
    DatapointsToAlarm: 1,
  });
  const [, errors] = Metrics.flatMap(({ Expression = "" }) => rateOfErrors.exec(Expression) ?? []);
  const [metric] = Metrics.flatMap(({ MetricStat }) => MetricStat ?? []);
  return { leastErrors: Number(errors), leastPercent: Threshold, minutes: (metric?.Period ?? 0) / 60 };
}

/** docs/figures.md: what a member asks in a month. */
const requestsOfMember = 29;
const minutesOfMonth = 30 * 24 * 60;

/** A generator of Park and Miller, so that each run of the test sees the same requests. */
function chanceFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/**
 * How long an outage lasts before an alarm fires, in minutes, if every request fails. Requests come independently of each
 * other. CloudWatch looks once a minute at the time since `minutes` ago.
 *
 * @param load share of the average number of requests
 * @returns the mean, and what 19 of 20 outages stay below
 */
function timeToPage(name: string, { members, load }: { readonly members: number; readonly load: number }) {
  const { leastErrors, leastPercent, minutes } = conditionOf(name);
  expect(leastPercent).toBeLessThanOrEqual(100);
  const perMinute = (requestsOfMember * members * load) / minutesOfMonth;
  const chance = chanceFrom(1);
  const times = Array.from({ length: 1000 }, () => {
    const failed: number[] = [];
    for (let at = 0; ; ) {
      at -= Math.log(chance()) / perMinute;
      failed.push(at);
      const [first = Number.NEGATIVE_INFINITY] = failed.slice(-leastErrors);
      if (failed.length >= leastErrors && at - first <= minutes - 1) return Math.ceil(at) + 1;
    }
  }).toSorted((a, b) => a - b);
  return { mean: Math.round(times.reduce((sum, time) => sum + time) / times.length), most: times[950] ?? 0 };
}

const night = 0.2;

it("a complete outage at 1,000 members raises an alarm within an hour at night, with a fifth of the requests", () => {
  const { mean, most } = timeToPage("Outage", { members: 1000, load: night });
  expect(mean).toBeLessThan(20);
  expect(most).toBeLessThan(60);
});

it("a complete outage at 1,000 members raises an alarm within minutes by day, so that a bad release is rolled back", () => {
  expect(timeToPage("Outage", { members: 1000, load: 1 }).most).toBeLessThan(10);
});

it("a complete outage at 300 members also raises an alarm at night", () => {
  expect(timeToPage("Outage", { members: 300, load: night }).mean).toBeLessThan(2 * 60);
});

it("the alarm ServerErrors alone needs days at night, so it only detects partial outages of busy stages", () => {
  expect(timeToPage("ServerErrors", { members: 1000, load: night }).mean).toBeGreaterThan(24 * 60);
});

it("one failed request raises no alarm on an outage, even if it is the only request", () => {
  expect(conditionOf("Outage")).toMatchObject({ leastErrors: 2, leastPercent: 50 });
});

/** The longest time from the beginning of an outage until the canary has raised its alarm, in minutes. */
function timeToCanaryAlarm(): number {
  type CanaryAlarm = { AlarmName: string; Period: number; DatapointsToAlarm: number };
  const alarms = Object.values(resources<CanaryAlarm>("AWS::CloudWatch::Alarm")).map(({ Properties }) => Properties);
  const alarm = alarms.find(({ AlarmName }) => AlarmName === "odis-prod-Unreachable");
  const rules = Object.values(resources<{ ScheduleExpression?: string; Targets: unknown }>("AWS::Events::Rule"));
  const rule = rules.find(({ Properties }) => JSON.stringify(Properties.Targets).includes("TriggersCanary"));
  const [, every] = /^rate\((\d+) minutes\)$/.exec(rule?.Properties.ScheduleExpression ?? "") ?? [];
  const { DatapointsToAlarm: failures = Number.NaN, Period = Number.NaN } = alarm ?? {};
  // Each failure counts when its period has ended. CloudWatch looks once a minute.
  return Number(every) * failures + Period / 60 + 1;
}

it.each([300, 1000, 10_000].flatMap((members) => [1, night].map((load) => [members, load] as const)))(
  "a complete outage at %i members with %d of the average load raises an alarm within 20 minutes",
  (members, load) => {
    const first = Math.min(timeToPage("Outage", { members, load }).most, timeToCanaryAlarm());
    expect(first).toBeLessThanOrEqual(20);
  },
);

it("docs/operations.md says how long the canary takes to find a complete outage", () => {
  expect(readFileSync("docs/operations.md", "utf8")).toContain(
    `a complete outage within ${timeToCanaryAlarm()} minutes, whatever the number of members`,
  );
});
