import type { Duration } from "aws-cdk-lib";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type JsonPattern, type LogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { stripe as webhook } from "#lib/contract/webhooks.ts";
import { metricsNamespace, type Settings } from "../settings.ts";

type Props = {
  readonly accessLog: LogGroup;
  /** The routes that move money or block people. */
  readonly money: readonly { readonly path: string }[];
  readonly settings: Settings;
};

const failed = FilterPattern.stringValue("$.status", "=", "5*");
const toWebhook = FilterPattern.stringValue("$.route", "=", `${webhook.method} ${webhook.path}`);

/**
 * Metrics of single routes, counted in the log of the gateway, which also has the requests for which no function ran. The
 * gateway's own metrics of a route would be six custom metrics.
 */
export class AccessMetrics extends Construct {
  /** 5xx responses of all routes that move money or block people. */
  readonly moneyErrors: (period: Duration) => Metric;
  readonly webhookErrors: (period: Duration) => Metric;
  readonly webhookRequests: (period: Duration) => Metric;

  constructor(scope: Construct, id: string, { accessLog: logGroup, money, settings }: Props) {
    super(scope, id);
    const count = (metricName: string, filterPattern: JsonPattern) => {
      const metricNamespace = metricsNamespace(settings);
      const filter = new MetricFilter(this, metricName, { logGroup, filterPattern, metricNamespace, metricName });
      return (period: Duration) => filter.metric({ statistic: "Sum", period });
    };
    const ends = new Set(money.map(({ path }) => path.slice(path.lastIndexOf("/"))));
    const toMoney = Array.from(ends, (end) => FilterPattern.stringValue("$.route", "=", `*${end}`));
    this.moneyErrors = count("money_errors", FilterPattern.all(failed, FilterPattern.any(...toMoney)));
    this.webhookErrors = count("webhook_errors", FilterPattern.all(failed, toWebhook));
    this.webhookRequests = count("webhook_requests", toWebhook);
  }
}
