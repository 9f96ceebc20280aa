import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { stripe as webhook } from "#lib/contract/webhooks.ts";
import type { MetricName } from "#lib/log.ts";
import { metricsNamespace, type Settings } from "../settings.ts";
import type { Api } from "./api.ts";
import type { Deliveries } from "./deliveries.ts";
import type { StreamConsumer } from "./stream-consumer.ts";
import type { Table } from "./table.ts";
import type { TriggerFunction } from "./trigger-function.ts";

/** The resources that the alarms and the dashboard monitor. */
export type Watched = {
  readonly api: Api;
  readonly table: Table;
  readonly consumers: Readonly<Record<string, StreamConsumer>>;
  readonly deliveries: Deliveries;
  readonly preTokenGeneration: TriggerFunction;
  readonly reconcile: TriggerFunction;
  readonly compactDirectory: TriggerFunction;
  readonly settings: Settings;
};

type Condition = {
  /** Description of the problem for the email. */
  readonly says: string;
  /** The section of `docs/operations.md` with instructions, if its title is not the name of the alarm. */
  readonly section?: string;
  readonly metric: IMetric;
  /**
   * The alarm fires at this value or above. With `below` instead, it fires below that value, and missing data also make
   * it fire.
   */
  readonly atLeast?: number;
  readonly below?: number;
  /** Number of periods in which the condition must hold. Default: 1. */
  readonly periods?: number;
  /** Number of consecutive periods that are evaluated. Default: `periods`. */
  readonly of?: number;
};

/** A metric of the functions for a route. */
export const measured = (settings: Settings, metricName: MetricName, route: string, period: Duration): Metric =>
  new Metric({
    namespace: metricsNamespace(settings),
    metricName,
    dimensionsMap: { route },
    statistic: "Maximum",
    period,
  });

/** The webhook's route in log lines. */
export const webhookRoute = `${webhook.method} ${webhook.path}`;

/** Percentage of failed requests. 0 if there are fewer than `atLeast` failures in the period. */
function errorRate(errors: IMetric, requests: IMetric, { atLeast, period }: { atLeast: number; period: Duration }) {
  const expression = `IF(errors >= ${atLeast}, 100 * errors / requests, 0)`;
  return new MathExpression({ expression, usingMetrics: { errors, requests }, label: "%", period });
}

/** Number of runs of a scheduled function without an error. */
const finished = (schedule: TriggerFunction, period: Duration): IMetric =>
  new MathExpression({
    expression: "runs - failures",
    usingMetrics: {
      runs: schedule.metricInvocations({ statistic: "Sum", period }),
      failures: schedule.metricErrors({ statistic: "Sum", period }),
    },
    label: "finished",
    period,
  });

/** Conditions that require a person to act soon (`docs/operations.md`). */
export const conditions = (watched: Watched): Record<string, Condition> => ({
  ...ofRequests(watched),
  ...ofStripe(watched),
  ...ofSchedules(watched),
  ...ofLimits(watched),
  ...ofConsumers(watched),
  ...ofDeliveries(watched),
});

function ofRequests({ api, preTokenGeneration }: Watched): Record<string, Condition> {
  const five = Duration.minutes(5);
  const quarter = Duration.minutes(15);
  return {
    ServerErrors: {
      says: "At least one request in a hundred gets a 5xx response",
      metric: errorRate(
        api.stage.metricServerError({ statistic: "Sum", period: five }),
        api.stage.metricCount({ statistic: "Sum", period: five }),
        { atLeast: 5, period: five },
      ),
      atLeast: 1,
    },
    Outage: {
      says: "At least half of all requests get a 5xx response",
      // At night, 1,000 members send two requests in 15 minutes. `test/infra/outage.test.ts` computes the detection
      // times.
      metric: errorRate(
        api.stage.metricServerError({ statistic: "Sum", period: quarter }),
        api.stage.metricCount({ statistic: "Sum", period: quarter }),
        { atLeast: 2, period: quarter },
      ),
      atLeast: 50,
    },
    MoneyRouteErrors: {
      says: "Requests to routes that move money or block members get 5xx responses",
      metric: api.metrics.moneyErrors(quarter),
      periods: 2,
      of: 4,
    },
    WebhookErrors: {
      says: "At least one request in ten to the webhook gets a 5xx response",
      metric: errorRate(api.metrics.webhookErrors(quarter), api.metrics.webhookRequests(quarter), {
        atLeast: 1,
        period: quarter,
      }),
      atLeast: 10,
      periods: 2,
      of: 4,
    },
    Latency: {
      says: "At least one request in a hundred takes three seconds or more",
      metric: api.stage.metricLatency({ statistic: "p99", period: five }),
      atLeast: 3000,
      periods: 3,
    },
    SignInFails: {
      says: "People cannot sign in, because Cognito cannot create their tokens",
      metric: preTokenGeneration.metricErrors({ statistic: "Sum", period: five }),
      atLeast: 3,
    },
  };
}

function ofStripe({ settings }: Watched): Record<string, Condition> {
  const hour = Duration.hours(1);
  const handled = measured(settings, "webhook_age_ms", webhookRoute, hour).with({ statistic: "SampleCount" });
  const missed = measured(settings, "missed_events", "reconcile", hour).with({ statistic: "Sum" });
  return {
    WebhookAge: {
      says: "Stripe's events are handled more than five minutes after they were created",
      metric: measured(settings, "webhook_age_ms", webhookRoute, Duration.minutes(5)),
      atLeast: 5 * 60_000,
    },
    WebhookRefused: {
      says: "The webhook rejects events that are not signed with its signing secret",
      metric: new Metric({
        namespace: metricsNamespace(settings),
        metricName: "problems",
        dimensionsMap: { problem: "invalid_signature" },
        statistic: "Sum",
        period: Duration.minutes(15),
      }),
      atLeast: 5,
    },
    WebhookMissed: {
      says: "Stripe has created events, but none has reached the webhook for an hour",
      metric: new MathExpression({
        expression: "IF(FILL(missed, 0) > 0 AND FILL(handled, 0) == 0, 1, 0)",
        usingMetrics: { missed, handled },
        label: "missed",
        period: hour,
      }),
      atLeast: 1,
    },
    WebhookSilent: { says: "Stripe has sent no event for a day", metric: handled, below: 1, periods: 24 },
    MoneyUnfinished: {
      says: "Refunds, cancellations or events have failed and remained unfinished for an hour",
      metric: measured(settings, "unfinished", "reconcile", Duration.minutes(15)),
      atLeast: 1,
      periods: 4,
    },
  };
}

const ofSchedules = ({ reconcile, compactDirectory }: Watched): Record<string, Condition> => ({
  ReconcileNotFinished: {
    says: "The schedule that finishes interrupted operations has not succeeded for 45 minutes",
    metric: finished(reconcile, Duration.minutes(15)),
    below: 1,
    periods: 3,
  },
  SnapshotNotFinished: {
    says: "The schedule that makes snapshots of the directory has not succeeded for an hour",
    metric: finished(compactDirectory, Duration.minutes(15)),
    below: 1,
    periods: 4,
  },
});

const ofLimits = ({ table }: Watched): Record<string, Condition> => ({
  FunctionsThrottled: {
    says: "The account has reached its limit of concurrent executions",
    metric: new Metric({
      namespace: "AWS/Lambda",
      metricName: "Throttles",
      statistic: "Sum",
      period: Duration.minutes(5),
    }),
    atLeast: 10,
  },
  TableThrottled: {
    says: "The table or one of its indexes rejects reads or writes",
    metric: table.throttled(Duration.minutes(5)),
    atLeast: 10,
  },
});

const ofDeliveries = ({ deliveries, settings }: Watched): Record<string, Condition> => ({
  DeliveriesGivenUp: {
    says: "Messages of a delivery queue could not be processed, and are in the dead-letter queue",
    metric: deliveries.deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
    atLeast: 1,
  },
  DestinationsDisabled: {
    says: "At least ten event destinations were disabled within an hour, so the cause may be in Odis",
    metric: measured(settings, "destinations_disabled", "deliver", Duration.hours(1)).with({ statistic: "Sum" }),
    atLeast: 10,
  },
});

const ofConsumers = ({ consumers }: Watched): Record<string, Condition> =>
  Object.fromEntries(
    Object.entries(consumers).flatMap(([name, consumer]): [string, Condition][] => [
      [
        `${name}Lag`,
        {
          says: `${name} are more than a minute behind the table`,
          metric: consumer.function.metric("IteratorAge", { statistic: "Maximum", period: Duration.minutes(1) }),
          atLeast: 60_000,
          periods: 5,
        },
      ],
      [
        `${name}Silent`,
        {
          says: `${name} have read nothing from the table's stream for an hour, although the schedule writes to the table every 15 minutes`,
          metric: consumer.polled(Duration.minutes(15)),
          below: 1,
          periods: 4,
        },
      ],
      [
        `${name}GivenUp`,
        {
          says: `${name} have given up on records, which are now in the bucket of failed records`,
          metric: consumer.givenUp(Duration.minutes(5)),
          atLeast: 1,
        },
      ],
    ]),
  );
