import { AsyncLocalStorage } from "node:async_hooks";
import { env } from "./env.ts";

/** Metrics of a request, with their units. */
const units = {
  duration_ms: "Milliseconds",
  /** Number of times the request ran again because another writer was faster. */
  conflicts: "Count",
  /** How often a command was sent to the table again. */
  retries: "Count",
  /** It was answered as before. */
  replays: "Count",
  /** How often a member was shown whose tier is not there. */
  missing_tier: "Count",
  stripe_calls: "Count",
  /** Live subscriptions of a member's customer that are not the member's, and are left alone. */
  foreign_subscription: "Count",
  /** Payments of a member's customer that pay no subscription of the member, and count nowhere. */
  foreign_payment: "Count",
  /** The member's subscription is on no price of their community: they keep the tier that they had. */
  unknown_price: "Count",
  /** The member's subscription is in another currency: its money counts nowhere. */
  foreign_currency: "Count",
  /** Stripe was needed, but its secret is not stored yet. */
  stripe_not_set_up: "Count",
  /** From when Stripe made an event until it was handled. */
  webhook_age_ms: "Milliseconds",
  /** Operations, events and members that the schedule has finished. */
  finished: "Count",
  /** Stripe's events that the schedule has looked at, as the webhook had not handled them. */
  missed_events: "Count",
  /** What has failed in a run of the schedule and is not finished yet. */
  unfinished: "Count",
  /** Those of the unfinished that have failed so often that they are attempted once a day. */
  set_aside: "Count",
  /** Stream records that a consumer could not read and has stored in the bucket of failed records. */
  records_set_aside: "Count",
  /** The verified address of a person who signs in belongs to another profile. */
  email_conflict: "Count",
  /** How long this environment took to load the directory, as far as this request went with it. */
  directory_load_ms: "Milliseconds",
  directory_load_cpu_ms: "Milliseconds",
  /** Attempts to deliver an event that failed. */
  deliveries_failed: "Count",
  /** Event destinations that were disabled, as they are gone or have been failing for days. */
  destinations_disabled: "Count",
} as const;

type Measure = keyof typeof units;

/** Fields of the log line of a request, besides metrics. Never a body, a token, a postal address or an email address. */
type LogFields = {
  readonly request_id: string;
  readonly route: string;
  readonly caller_id?: number | undefined;
  /** The ids in the path. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** How many records a list, or a person's data, has answered: who has read or exported how much. */
  readonly records?: number | undefined;
  readonly status?: number;
  readonly problem?: string;
};

type RequestLog = { fields: LogFields; readonly measures: Partial<Record<Measure, number>> };

const current = new AsyncLocalStorage<RequestLog>();

/** Answers a request and writes the one line about it, with its metrics. */
export async function logged<T extends { readonly statusCode?: number }>(
  fields: LogFields,
  now: () => Date,
  answer: () => Promise<T>,
): Promise<T> {
  const request: RequestLog = { fields, measures: {} };
  const start = process.hrtime.bigint();
  const given = await current.run(request, answer);
  request.measures.duration_ms = Math.round(Number(process.hrtime.bigint() - start) / 1e5) / 10;
  if (env("LOG_LEVEL") !== "error")
    write({
      ...metricsOf(request, now()),
      level: "info",
      ...request.fields,
      status: given.statusCode,
      ...request.measures,
    });
  return given;
}

/** Adds to the line about the current request. */
export function addLogFields(more: Partial<LogFields>): void {
  const request = current.getStore();
  if (request) request.fields = { ...request.fields, ...more };
}

export function measure(name: Measure, by = 1): void {
  const measures = current.getStore()?.measures;
  if (measures) measures[name] = (measures[name] ?? 0) + by;
}

/** A line about a failure: what caused it comes first, then the errors that wrap it, and the request it was in. */
export function logError(error: Error, fields: Readonly<Record<string, unknown>> = {}): void {
  write({ level: "error", error: describe(error), ...current.getStore()?.fields, ...fields });
}

/** A line about what was done without a request. */
export function logInfo(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  if (env("LOG_LEVEL") !== "error") write({ level: "info", message, ...fields });
}

const write = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** What CloudWatch makes of the line: its measures by route, and a count of each problem (embedded metric format). */
function metricsOf({ fields: { problem }, measures }: RequestLog, at: Date) {
  const Namespace = env("METRICS_NAMESPACE");
  const set = (dimension: string, Metrics: object[]) => ({ Namespace, Dimensions: [[dimension]], Metrics });
  const byRoute = (Object.keys(measures) as Measure[]).map((Name) => ({ Name, Unit: units[Name] }));
  const byProblem = problem === undefined ? [] : [set("problem", [{ Name: "problems", Unit: "Count" }])];
  return {
    _aws: { Timestamp: at.getTime(), CloudWatchMetrics: [set("route", byRoute), ...byProblem] },
    ...(problem !== undefined && { problems: 1 }),
  };
}

function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { thrown: typeof error };
  const { name, message, stack = "", cause } = error;
  const frames = stack.split("\n").filter((line) => /^ +at /.test(line));
  return {
    ...(cause !== undefined && { cause: describe(cause) }),
    name,
    message: redacted(message),
    stack: frames.join("\n"),
  };
}

/** What other libraries put into their messages: the value that was not valid, addresses, keys, tokens. */
const redacted = (message: string): string =>
  message
    .replace(/ but received .*/s, "")
    .replace(/\S+@\S+/g, "[e-mail]")
    .replace(/\b(?:[srp]k|whsec)_\w+/g, "[key]")
    .replace(/\beyJ[\w-]+\.[\w.-]+/g, "[token]");
