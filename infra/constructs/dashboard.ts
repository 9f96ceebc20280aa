import { Duration } from "aws-cdk-lib";
import {
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { Alarms } from "./alarms.ts";
import { measured, type Watched, webhookRoute } from "./conditions.ts";

/** One page about the stack: errors, requests, latency and lag. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { all: alarms }: Alarms, watched: Watched) {
    super(scope, id);
    const { api, table, settings } = watched;
    const consumers = Object.entries(watched.consumers);
    const period = Duration.minutes(5);
    const sum = { statistic: "Sum", period };

    const dashboard = new CloudWatchDashboard(this, "Dashboard", {
      dashboardName: `odis-${settings.stage}`,
      defaultInterval: Duration.hours(12),
    });
    dashboard.addWidgets(new AlarmStatusWidget({ title: "Alarms", alarms: [...alarms], width: 24, height: 3 }));
    dashboard.addWidgets(
      graph("Requests", [
        api.stage.metricCount({ ...sum, label: "all" }),
        api.stage.metricClientError({ ...sum, label: "4xx" }),
        api.stage.metricServerError({ ...sum, label: "5xx" }),
      ]),
      graph(
        "Latency (ms)",
        ["p50", "p90", "p99"].map((statistic) => api.stage.metricLatency({ statistic, period, label: statistic })),
      ),
    );
    dashboard.addWidgets(
      graph("Money", [
        measured(settings, "webhook_age_ms", webhookRoute, period).with({ label: "age of Stripe's events (ms)" }),
        measured(settings, "unfinished", "reconcile", period).with({ label: "failed and not finished" }),
        measured(settings, "stripe_not_set_up", "reconcile", period).with({ label: "Stripe is not set up" }),
        measured(settings, "set_aside", "reconcile", period).with({ label: "set aside after failing for two days" }),
      ]),
      graph("Delay of stream consumers (ms)", [
        ...consumers.map(([label, consumer]) =>
          consumer.function.metric("IteratorAge", { statistic: "Maximum", period, label }),
        ),
        ...consumers.map(([name, consumer]) => consumer.givenUp(period).with({ label: `${name}: records given up` })),
      ]),
    );
    dashboard.addWidgets(
      graph("Not managed by Odis at Stripe", [
        ...leftAlone.map((name) => measured(settings, name, webhookRoute, period).with({ ...sum, label: name })),
        measured(settings, "email_conflict", "pre-token-generation", period).with({ ...sum, label: "email_conflict" }),
      ]),
    );
    dashboard.addWidgets(
      graph("Functions other than routes: errors", [
        watched.preTokenGeneration.metricErrors({ ...sum, label: "sign-in" }),
        watched.reconcile.metricErrors({ ...sum, label: "reconcile" }),
        watched.compactDirectory.metricErrors({ ...sum, label: "snapshot" }),
        watched.exportAccounts.metricErrors({ ...sum, label: "export of accounts" }),
        ...consumers.map(([label, consumer]) => consumer.function.metricErrors({ ...sum, label })),
      ]),
      graph("Table", [...table.consumed(period), table.throttled(period)]),
    );
  }
}

/** Metrics of data at Stripe that Odis ignores or cannot count (`docs/api.md`, section 3). */
const leftAlone = ["foreign_subscription", "foreign_payment", "unknown_price", "foreign_currency"] as const;

const graph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: 12, height: 6 });
