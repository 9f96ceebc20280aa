import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfStale } from "../build/build.ts";
import { createVariant } from "../build/variants.ts";
import { prices } from "./prices.ts";

/** What a stack is billed for by number, whatever its traffic. */
export type Billed = {
  /** Metrics of alarms. An alarm on a formula is billed for each of its metrics. */
  readonly alarmMetrics: number;
  /** Custom metrics that are also sent while nobody sends a request. */
  readonly restingMetrics: number;
  /** All custom metrics. Each is billed for the hours in which it is sent. */
  readonly metrics: number;
  readonly dashboards: number;
  readonly secrets: number;
};

type MetricData = {
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
};
type Properties = MetricData & {
  readonly Period?: number;
  /** Of an alarm on a formula. */
  readonly Metrics?: readonly {
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: MetricData; readonly Period: number };
  }[];
  readonly DashboardBody?: { readonly "Fn::Join": readonly [separator: string, parts: readonly unknown[]] };
  readonly MetricsConfig?: { readonly Metrics: readonly string[] };
  readonly RouteSettings?: Readonly<Record<string, { readonly DetailedMetricsEnabled?: boolean }>>;
};
export type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties?: Properties }>>;

/** Counts what is billed in the template of `prod` with all settings. */
export async function countInProd(): Promise<Billed> {
  await buildIfStale();
  using folder = mkdtempDisposableSync(join(tmpdir(), "odis-billed-"));
  const { app, stack } = createVariant("prod", folder.path);
  const { template } = app.synth().getStackByName(stack.stackName);
  return countIn((template as { Resources: Resources }).Resources);
}

/** Metrics of the gateway for a route with detailed metrics: 4xx, 5xx, Count, DataProcessed and two latencies. */
const metricsOfRoute = 6;
/** Metrics of a stream's mapping: polled, filtered out, invoked, failed, dropped, and delivered to the destination. */
const metricsOfMapping = 6;
/** Metrics that the schedule sends in every run (`functions/triggers/reconcile.ts`), even if there is nothing to do. */
const ofSchedule = [" unfinished route=reconcile", " set_aside route=reconcile"];

/** @throws Error if something has no price in `prices.ts` */
export function countIn(resources: Resources): Billed {
  const of = (type: string) => Object.values(resources).filter(({ Type }) => Type === `AWS::${type}`);
  for (const type of ["CompositeAlarm", "AnomalyDetector", "InsightRule"])
    if (of(`CloudWatch::${type}`).length > 0) throw new Error(`${type} has no price in tools/bench/prices.ts`);
  const alarms = of("CloudWatch::Alarm").map(({ Properties = {} }) => metricsOfAlarm(Properties));
  const dashboards = of("CloudWatch::Dashboard");
  const own = new Set([
    ...alarms.flat().flatMap(ownMetric),
    ...dashboards.flatMap(({ Properties = {} }) => metricsOfDashboard(Properties)),
  ]);
  const mappings = of("Lambda::EventSourceMapping").filter(({ Properties }) => Properties?.MetricsConfig);
  const measuredRoutes = of("ApiGatewayV2::Stage")
    .flatMap(({ Properties }) => Object.values(Properties?.RouteSettings ?? {}))
    .filter(({ DetailedMetricsEnabled }) => DetailedMetricsEnabled);
  // The schedule writes its lease to the table, so that the mappings poll records even while nobody sends a request.
  const ofMappings = mappings.length * metricsOfMapping;
  return {
    alarmMetrics: alarms.flat().length,
    restingMetrics: [...own].filter((name) => ofSchedule.some((end) => name.endsWith(end))).length + ofMappings,
    metrics: own.size + ofMappings + measuredRoutes.length * metricsOfRoute,
    dashboards: dashboards.length,
    secrets: of("SecretsManager::Secret").length,
  };
}

function metricsOfAlarm(alarm: Properties): MetricData[] {
  const { Metrics } = alarm;
  if (Metrics?.some(({ Expression }) => Expression?.startsWith("SELECT")))
    throw new Error("An alarm on a query has no price in tools/bench/prices.ts");
  const periods = Metrics?.map(({ MetricStat }) => MetricStat?.Period) ?? [alarm.Period];
  if (periods.some((period = 60) => period < 60))
    throw new Error("An alarm with a period of less than a minute has no price in tools/bench/prices.ts");
  return Metrics?.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []) ?? [alarm];
}

/** The name and dimensions of a custom metric. Nothing for a metric of AWS. */
const ownMetric = ({ Namespace = "", MetricName = "", Dimensions = [] }: MetricData): string[] =>
  Namespace.startsWith("AWS/")
    ? []
    : [[Namespace, MetricName, ...Dimensions.map(({ Name, Value }) => `${Name}=${String(Value)}`)].join(" ")];

type Widget = { readonly properties: { readonly metrics?: readonly (readonly unknown[])[] } };

function metricsOfDashboard({ DashboardBody }: Properties): string[] {
  const [separator, parts] = DashboardBody?.["Fn::Join"] ?? ["", ['{"widgets":[]}']];
  const text = parts.map((part) => (typeof part === "string" ? part : "reference")).join(separator);
  const { widgets } = JSON.parse(text) as { readonly widgets: readonly Widget[] };
  return widgets
    .flatMap(({ properties }) => properties.metrics ?? [])
    .flatMap((metric) => {
      const [Namespace, MetricName, ...rest] = metric.filter((part) => typeof part === "string");
      if (Namespace === undefined || MetricName === undefined) return [];
      const Dimensions = rest.flatMap((Name, n) => (n % 2 === 0 ? [{ Name, Value: rest[n + 1] }] : []));
      return ownMetric({ Namespace, MetricName, Dimensions });
    });
}

/** Dollars per month for alarms, dashboards and metrics, if each of the metrics is sent in every hour. */
export const monitoringDollars = ({ alarmMetrics, dashboards }: Billed, sentMetrics: number): number =>
  alarmMetrics * prices.alarm + dashboards * prices.dashboard + sentMetrics * prices.metric;
