import { AsyncLocalStorage } from "node:async_hooks";
import { env } from "./env.ts";

/**
 * The metrics in CloudWatch, with their units. Each costs extra for every route that sends it, so these are only the ones
 * that an alarm or the dashboard shows.
 */
export const metrics = {
  /** Live subscriptions of a member's customer that are not the member's. They are ignored. */
  foreign_subscription: "Count",
  /** Payments of a member's customer for anything but the member's subscriptions. They are ignored. */
  foreign_payment: "Count",
  /** Subscriptions that are on no price of the member's community. The member keeps the tier. */
  unknown_price: "Count",
  /** Subscriptions in another currency than US dollars. Their payments are ignored. */
  foreign_currency: "Count",
  /** Requests that needed Stripe before its secret was stored. */
  stripe_not_set_up: "Count",
  /** Calls that Stripe refused because the key was revoked or has expired. */
  stripe_key_refused: "Count",
  /** Time from the creation of an event at Stripe until its handling. */
  webhook_age_ms: "Milliseconds",
  /** Events that the schedule handled because the webhook had not. */
  missed_events: "Count",
  /** Failed tasks of the schedule that are not completed yet. */
  unfinished: "Count",
  /** Unfinished tasks that have failed so often that they are retried once a day. */
  set_aside: "Count",
  /** Stream records that a consumer could not read and has stored in the bucket of failed records. */
  records_set_aside: "Count",
  /** Sign-ins with a verified email address that belongs to another profile. */
  email_conflict: "Count",
  /** Sign-ins that were refused because the password has to be set from the mailbox first. */
  unproven_account: "Count",
  /** Event destinations that were disabled because they no longer exist or failed for days. */
  destinations_disabled: "Count",
} as const;

export type MetricName = keyof typeof metrics;

/** The metric without a route, because any function that calls Stripe can send it, and one alarm uses it. */
export const metricOfStage = "stripe_key_refused" satisfies MetricName;

/** The problem whose responses are counted in the metric `problems`, because an alarm uses it. */
export const countedProblem = "invalid_signature";

/** Figures that are only in the log line, where queries find them. */
type LoggedFigures = {
  duration_ms: number;
  /** Number of times the request ran again because another writer was faster. */
  conflicts: number;
  /** Number of commands to the table that were sent again. */
  retries: number;
  /** Number of requests that returned the stored response of an earlier one. */
  replays: number;
  /** Number of responses with a member whose tier does not exist. */
  missing_tier: number;
  stripe_calls: number;
  /** Tasks that the schedule completed. */
  finished: number;
  /** Time that this request spent loading the directory. */
  directory_load_ms: number;
  directory_load_cpu_ms: number;
  /** Failed attempts to deliver an event. */
  deliveries_failed: number;
};

type Measure = MetricName | keyof LoggedFigures;

/** The fields of a request's log line besides metrics. They never contain a body, a token or any address. */
type LogFields = {
  readonly request_id: string;
  readonly route: string;
  readonly caller_id?: number | undefined;
  /** The API key that made the request. The id is no secret. */
  readonly api_key_id?: number | undefined;
  /** The ids in the path. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** Number of records in the response of a list or an export. It shows who reads how much data. */
  readonly records?: number | undefined;
  readonly status?: number;
  readonly problem?: string;
  /** Last four characters of the Stripe key in use, which Stripe's dashboard shows too. */
  readonly stripe_key?: string;
};

type RequestLog = { fields: LogFields; readonly measures: Partial<Record<Measure, number>> };

const current = new AsyncLocalStorage<RequestLog>();

/** Handles a request and writes its log line with its metrics. */
export async function logged<T extends { readonly statusCode?: number }>(
  fields: LogFields,
  now: () => Date,
  handle: () => Promise<T>,
): Promise<T> {
  const request: RequestLog = { fields, measures: {} };
  const start = process.hrtime.bigint();
  const response = await current.run(request, handle);
  request.measures.duration_ms = Math.round(Number(process.hrtime.bigint() - start) / 1e5) / 10;
  if (env("LOG_LEVEL") !== "error")
    write({
      ...metricsOf(request, now()),
      level: "info",
      ...request.fields,
      status: response.statusCode,
      ...request.measures,
    });
  return response;
}

/** Adds fields to the log line of the current request. Has no effect outside a request. */
export function addLogFields(more: Partial<LogFields>): void {
  const request = current.getStore();
  if (request) request.fields = { ...request.fields, ...more };
}

/** Adds to a metric of the current request. Has no effect outside a request. */
export function measure(name: Measure, by = 1): void {
  const measures = current.getStore()?.measures;
  if (measures) measures[name] = (measures[name] ?? 0) + by;
}

/** Logs an error: its first cause, the errors that wrap it, and the fields of the current request. */
export function logError(error: Error, fields: Readonly<Record<string, unknown>> = {}): void {
  write({ level: "error", error: describe(error), ...current.getStore()?.fields, ...fields });
}

/** Logs a message of work outside a request. */
export function logInfo(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  if (env("LOG_LEVEL") !== "error") write({ level: "info", message, ...fields });
}

const write = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/**
 * The metrics of a line in CloudWatch's embedded metric format: by route, those of the whole stage, and a count of
 * {@link countedProblem}.
 */
function metricsOf({ fields: { problem }, measures }: RequestLog, at: Date) {
  const Namespace = env("METRICS_NAMESPACE");
  const set = (dimensions: string[], Metrics: object[]) =>
    Metrics.length > 0 ? [{ Namespace, Dimensions: [dimensions], Metrics }] : [];
  const names = Object.keys(measures).filter(isMetric);
  const withUnits = (chosen: readonly MetricName[]) => chosen.map((Name) => ({ Name, Unit: metrics[Name] }));
  const isCounted = problem === countedProblem;
  const CloudWatchMetrics = [
    ...set(["route"], withUnits(names.filter((name) => name !== metricOfStage))),
    ...set([], withUnits(names.filter((name) => name === metricOfStage))),
    ...set(["problem"], isCounted ? [{ Name: "problems", Unit: "Count" }] : []),
  ];
  if (CloudWatchMetrics.length === 0) return {};
  return { _aws: { Timestamp: at.getTime(), CloudWatchMetrics }, ...(isCounted && { problems: 1 }) };
}

const isMetric = (name: string): name is MetricName => name in metrics;

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

/** Removes the invalid values, email addresses, keys and tokens that libraries put into error messages. */
const redacted = (message: string): string =>
  message
    .replace(/ but received .*/s, "")
    .replace(/\S+@\S+/g, "[e-mail]")
    .replace(/\b(?:[srp]k|whsec|odis)_[\w-]+/g, "[key]")
    .replace(/\beyJ[\w-]+\.[\w.-]+/g, "[token]");
