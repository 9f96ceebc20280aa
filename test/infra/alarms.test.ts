import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { functions, resources } from "./prod.ts";

type Alarm = {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly Threshold: number;
  readonly Period?: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm?: number;
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
  readonly ComparisonOperator: string;
  readonly Metrics?: readonly {
    readonly Expression?: string;
    readonly MetricStat?: { readonly Period: number; readonly Stat: string };
  }[];
};

const words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const inWords = (n: number) => words[n] ?? String(n);
/** `five minutes`, `an hour`, `a day` */
function span(seconds: number): string {
  for (const [unit, length, one] of [
    ["day", 86_400, "a day"],
    ["hour", 3600, "an hour"],
    ["minute", 60, "a minute"],
    ["second", 1, "a second"],
  ] as const)
    if (seconds % length === 0) return seconds === length ? one : `${inWords(seconds / length)} ${unit}s`;
  return `${seconds} seconds`;
}
const shareOf = (percent: number) =>
  percent === 50 ? "half of all requests" : `one request in ${{ 1: "a hundred", 10: "ten" }[percent]}`;

/** The numbers of an alarm, in the words of docs/operations.md. */
function numbersOf(alarm: Alarm) {
  const { Threshold, Period, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, Metrics = [] } = alarm;
  const metrics = Metrics.flatMap(({ MetricStat }) => MetricStat ?? []);
  const stat = alarm.Statistic ?? alarm.ExtendedStatistic ?? "";
  const stats = new Set(metrics.length > 0 ? metrics.map(({ Stat }) => Stat) : [stat]);
  const periods = new Set(metrics.length > 0 ? metrics.map((metric) => metric.Period) : [Period ?? Number.NaN]);
  if (periods.size > 1) throw new Error(`${alarm.AlarmName} has several periods`);
  const [period = Number.NaN] = periods;
  const [, errors] = Metrics.flatMap(({ Expression = "" }) => /(?:errors|slow) >= (\d+)/.exec(Expression) ?? []);
  /** A count of values from a number of milliseconds up. */
  const [, from] = [...stats].flatMap((one) => /^TC\((\d+):\)$/.exec(one) ?? []);
  return {
    condition: `${[...stats].toSorted().join(" and ")} ${operators[alarm.ComparisonOperator]} ${Threshold}`,
    atLeast: inWords(Threshold),
    share: shareOf(Threshold),
    errors: inWords(Number(errors)),
    milliseconds: span(Number(from ?? Threshold) / 1000),
    seconds: span(Threshold),
    within: span(period * EvaluationPeriods),
    period: `${period / 60}-minute`,
    datapoints: inWords(DatapointsToAlarm),
    of: inWords(EvaluationPeriods),
    isPartial: DatapointsToAlarm < EvaluationPeriods,
  };
}
const operators: Readonly<Record<string, string>> = {
  GreaterThanOrEqualToThreshold: ">=",
  LessThanThreshold: "<",
};
type Numbers = ReturnType<typeof numbersOf>;

/** By section: the condition of its alarms, and how the section begins with the numbers of the template. */
const sections: Readonly<Record<string, readonly [condition: string, begins: (alarm: Numbers) => string]>> = {
  ServerErrors: [
    "Sum >= 1",
    ({ within, share, errors }) =>
      `Within ${within}, at least ${share}, and at least ${errors} requests, got a 5xx response.`,
  ],
  Outage: [
    "Sum >= 50",
    ({ within, share, errors }) =>
      `Within ${within}, at least ${share}, and at least ${errors} requests, got a 5xx response.`,
  ],
  MoneyRouteErrors: [
    "Sum >= 1",
    ({ atLeast, datapoints, of, period }) =>
      `At least ${atLeast} request to a route that moves money or blocks members got a 5xx response, in ${datapoints} of ${of} ${period} periods.`,
  ],
  WebhookErrors: [
    "Sum >= 10",
    ({ share, datapoints, of, period }) =>
      `At least ${share} to the webhook got a 5xx response, in ${datapoints} of ${of} ${period} periods.`,
  ],
  Latency: [
    "Sum and TC(3000:) >= 1",
    ({ datapoints, period, share, errors, milliseconds }) =>
      `In each of ${datapoints} ${period} periods, at least ${share}, and at least ${errors} requests, took ${milliseconds} or more.`,
  ],
  Unreachable: [
    "Sum >= 1",
    ({ datapoints, of }) =>
      `In ${datapoints} of ${of} runs, the canary did not get the expected responses, or did not run.`,
  ],
  SignInFails: [
    "Sum >= 3",
    ({ atLeast, within }) => `At least ${atLeast} times within ${within}, a trigger of the user pool failed,`,
  ],
  SignInThrottled: [
    "Sum >= 10",
    ({ atLeast, within }) => `Within ${within}, Cognito rejected at least ${atLeast} sign-ins or refreshes of tokens,`,
  ],
  EmailBounces: ["Maximum >= 0.05", () => "At least one email in twenty of this account was returned."],
  WebhookAge: [
    "TC(300000:) >= 3",
    ({ atLeast, within, milliseconds }) =>
      `At least ${atLeast} Stripe events within ${within} were handled more than ${milliseconds} after they were created.`,
  ],
  WebhookRefused: [
    "Sum >= 5",
    ({ atLeast, within }) =>
      `At least ${atLeast} requests to the webhook within ${within} were not signed with the signing secret.`,
  ],
  StripeKeyRefused: ["Sum >= 1", ({ within }) => `Within ${within}, Stripe has refused a key`],
  WebhookMissed: [
    "SampleCount and Sum >= 1",
    ({ within }) =>
      `Within ${within}, the schedule found events that Stripe could not deliver, and the webhook handled none.`,
  ],
  WebhookSilent: ["SampleCount < 1", ({ within }) => `Stripe has sent no event for ${within}.`],
  MoneyUnfinished: [
    "Maximum >= 1",
    ({ within }) =>
      `Refunds, cancellations, events or synchronizations have failed and remained unfinished for ${within}.`,
  ],
  ReconcileNotFinished: [
    "Minimum >= 1",
    ({ within }) => `For ${within}, no run of the schedule that finishes interrupted operations has succeeded.`,
  ],
  SnapshotNotFinished: [
    "Minimum >= 1",
    ({ within }) => `For ${within}, no run of the schedule that makes snapshots of the directory has succeeded.`,
  ],
  FunctionsThrottled: [
    "Sum >= 10",
    ({ atLeast, within }) =>
      `At least ${atLeast} calls of functions within ${within} were rejected, because the limit of concurrent executions of the account, or of those reserved for a function, is reached.`,
  ],
  TableThrottled: [
    "Sum >= 10",
    ({ atLeast, within }) =>
      `The table or one of its indexes has rejected at least ${atLeast} reads or writes within ${within}.`,
  ],
  ProjectionsLag: [
    "Maximum >= 60000",
    ({ milliseconds, within }) => `Figures and the directory have been more than ${milliseconds} behind for ${within}.`,
  ],
  ProjectionsSilent: [
    "Sum < 1",
    ({ within }) => `The consumer has read nothing from the table's stream for ${within}.`,
  ],
  ProjectionsGivenUp: ["Sum >= 1", () => "Records were set aside,"],
  EventsLag: [
    "Maximum >= 60000",
    ({ milliseconds, within }) => `Events have been more than ${milliseconds} late for ${within}.`,
  ],
  EventsSilent: ["Sum < 1", ({ within }) => `For ${within}, \`TriggersEvents\` has read nothing`],
  EventsGivenUp: ["Sum >= 1", () => "Some events could not be sent for 23 hours, or a record could not be read."],
  DeliveriesWaiting: [
    "Maximum >= 1800",
    ({ within, seconds }) => `For ${within}, the oldest message of a delivery queue has waited for ${seconds}.`,
  ],
  DeliveriesGivenUp: ["Maximum >= 1", () => "A message of a delivery queue failed five times."],
  DestinationsDisabled: [
    "Sum >= 10",
    ({ atLeast, within }) => `At least ${atLeast} event destinations were disabled within ${within}.`,
  ],
};

const operations = readFileSync("docs/operations.md", "utf8");
const [, text = ""] = /\n## Alarms\n(.*?)(?=\n## |$)/s.exec(operations) ?? [];
const documented = new Map(
  text
    .split("\n### ")
    .slice(1)
    .map((section) => {
      const [name = "", ...lines] = section.split("\n");
      return [name, lines.join(" ").replace(/\s+/g, " ").trim()] as const;
    }),
);
const alarms = Object.values(resources<Alarm>("AWS::CloudWatch::Alarm")).map(({ Properties }) => Properties);
const sectionOf = ({ AlarmDescription }: Alarm) =>
  / See (\w+) in docs\/operations\.md\.$/.exec(AlarmDescription)?.[1] ?? "";

it("each alarm has a section in docs/operations.md, and each section an alarm", () => {
  const names = Object.keys(sections).toSorted();
  expect([...documented.keys()].toSorted()).toEqual(names);
  expect([...new Set(alarms.map(sectionOf))].toSorted()).toEqual(names);
});

it.each(alarms.map((alarm) => [alarm.AlarmName, alarm] as const))(
  "the section of %s in docs/operations.md begins with the numbers of the alarm",
  (_, alarm) => {
    const numbers = numbersOf(alarm);
    const [condition = "", begins = () => ""] = sections[sectionOf(alarm)] ?? [];
    expect(numbers.condition).toBe(condition);
    expect(documented.get(sectionOf(alarm))?.slice(0, begins(numbers).length)).toBe(begins(numbers));
    expect(numbers.isPartial).toBe(["MoneyRouteErrors", "Unreachable", "WebhookErrors"].includes(sectionOf(alarm)));
  },
);

const scripts = Object.keys(packageJson.scripts);
const savedQueries = Object.values(resources<{ Name: string }>("AWS::Logs::QueryDefinition")).map(
  ({ Properties }) => Properties.Name,
);

it.each([...documented])(
  "the section %s in docs/operations.md has a command, and what it names exists",
  (_, section) => {
    const commands = [...section.matchAll(/```sh (.*?) ```/g)].map(([, command = ""]) => command);
    expect(commands).not.toEqual([]);
    for (const command of commands) {
      for (const [, script] of command.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toContain(script);
      for (const [, name = ""] of command.matchAll(/--function (\w+)/g)) expect(Object.keys(functions)).toContain(name);
      for (const [, name] of command.matchAll(/npm run logs -- --stage prod "?([A-Z][\w ]*\w)"? --since/g))
        expect(savedQueries).toContain(`odis-prod/${name}`);
    }
  },
);

const properties = <P extends object>(type: string) =>
  Object.values(resources<P>(type)).map(({ Properties }) => Properties);
const queues = properties<{ MessageRetentionPeriod: number; RedrivePolicy?: { maxReceiveCount: number } }>(
  "AWS::SQS::Queue",
);
const mappings = properties<{ MaximumRetryAttempts?: number; MaximumRecordAgeInSeconds?: number }>(
  "AWS::Lambda::EventSourceMapping",
);
const only = (values: readonly (number | undefined)[]) => {
  const [value = Number.NaN, ...others] = new Set(values.filter((one) => one !== undefined));
  expect(others).toEqual([]);
  return value;
};

it.each([
  [
    "DeliveriesGivenUp",
    () => `failed ${inWords(only(queues.map(({ RedrivePolicy }) => RedrivePolicy?.maxReceiveCount)))} times`,
  ],
  [
    "DeliveriesGivenUp",
    () =>
      `in the dead-letter queue for ${span(only(queues.map(({ MessageRetentionPeriod }) => MessageRetentionPeriod)))}`,
  ],
  ["EventsGivenUp", () => `could not be sent for ${span(only(mappings.map((one) => one.MaximumRecordAgeInSeconds)))}`],
  ["ProjectionsLag", () => `after ${inWords(only(mappings.map((one) => one.MaximumRetryAttempts)))} more attempts`],
])("the section %s in docs/operations.md has the limits of the template (case %#)", (section, limit) => {
  expect(documented.get(section)).toContain(limit());
});
