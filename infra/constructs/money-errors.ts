import type { Duration } from "aws-cdk-lib";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type LogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { PlacedRoute } from "#lib/contract/index.ts";
import { metricsNamespace, type Settings } from "../settings.ts";

type Props = { readonly accessLog: LogGroup; readonly routes: readonly PlacedRoute[]; readonly settings: Settings };

/**
 * Counts the 5xx responses of the routes that move money or block people in the log of the gateway, as one metric. It also
 * counts requests for which no function ran. The gateway's own metrics cost extra for each route.
 */
export class MoneyErrors extends Construct {
  readonly #filter: MetricFilter;

  constructor(scope: Construct, id: string, { accessLog, routes, settings }: Props) {
    super(scope, id);
    const ends = new Set(routes.map(({ path }) => path.slice(path.lastIndexOf("/"))));
    this.#filter = new MetricFilter(this, "Filter", {
      logGroup: accessLog,
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue("$.status", "=", "5*"),
        FilterPattern.any(...Array.from(ends, (end) => FilterPattern.stringValue("$.route", "=", `*${end}`))),
      ),
      metricNamespace: metricsNamespace(settings),
      metricName: "money_errors",
    });
  }

  count = (period: Duration): Metric => this.#filter.metric({ statistic: "Sum", period });
}
