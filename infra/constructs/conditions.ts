import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { stripe as webhook } from "#lib/contract/webhooks.ts";
import { type MetricName, metricOfStage } from "#lib/log.ts";
import { metricsNamespace, type Settings } from "../settings.ts";
import type { Api } from "./api.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Identity } from "./identity.ts";
import type { StreamConsumer } from "./stream-consumer.ts";
import type { Table } from "./table.ts";
import type { TriggerFunction } from "./trigger-function.ts";

/** The resources that the alarms and the dashboard monitor. */
export type Watched = {
  readonly api: Api;
  readonly table: Table;
  readonly consumers: Readonly<Record<string, StreamConsumer>>;
  readonly deliveries: Deliveries;
  readonly identity: Identity;
  readonly preTokenGeneration: TriggerFunction;
  readonly postConfirmation: TriggerFunction;
  /** Undefined if alarms have no recipients. */
  readonly canary?: TriggerFunction;
  readonly reconcile: TriggerFunction;
  readonly compactDirectory: TriggerFunction;
  readonly exportAccounts: TriggerFunction;
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
  /** Whether missing data make the alarm with `atLeast` fire. */
  readonly isAlwaysSent?: true;
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

/**
 * The statistic that counts the values of a metric from a number of milliseconds up. PutMetricAlarm accepts it in an
 * expression only.
 */
const countFrom = (milliseconds: number): string => `TC(${milliseconds}:)`;

/** The sum of metrics, of which some may have no data. */
function sumOf(metrics: readonly IMetric[], { label, period }: { label: string; period: Duration }): IMetric {
  const usingMetrics = Object.fromEntries(metrics.map((metric, n) => [`m${n}`, metric]));
  const names = Object.keys(usingMetrics);
  return new MathExpression({
    expression: names.map((name) => `FILL(${name}, 0)`).join(" + "),
    usingMetrics,
    label,
    period,
  });
}

/**
 * An alarm if a scheduled function has no successful run in each of some periods of 15 minutes. Lambda counts the errors of
 * each run, also if there are none: the minimum is 1 if all runs have failed.
 */
const notFinished = (schedule: TriggerFunction, periods: number) =>
  ({
    metric: schedule.metricErrors({ statistic: "Minimum", period: Duration.minutes(15) }),
    atLeast: 1,
    isAlwaysSent: true,
    periods,
  }) as const;

/** Conditions that require a person to act soon (`docs/operations.md`). */
export const conditions = (watched: Watched): Record<string, Condition> => ({
  ...ofRequests(watched),
  ...ofOutside(watched),
  ...ofSignIn(watched),
  ...ofStripe(watched),
  ...ofSchedules(watched),
  ...ofLimits(watched),
  ...ofConsumers(watched),
  ...ofDeliveries(watched),
});

function ofRequests({ api }: Watched): Record<string, Condition> {
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
      metric: new MathExpression({
        expression: "IF(slow >= 3, 100 * slow / requests, 0)",
        usingMetrics: {
          slow: api.stage.metricLatency({ statistic: countFrom(3000), period: five }),
          requests: api.stage.metricCount({ statistic: "Sum", period: five }),
        },
        label: "%",
        period: five,
      }),
      atLeast: 1,
      periods: 3,
    },
  };
}

/** Nothing else notices what keeps requests away from the gateway, such as a lost DNS record. */
function ofOutside({ canary }: Watched): Record<string, Condition> {
  if (!canary) return {};
  return {
    Unreachable: {
      says: "From the internet, the site or the API does not respond as expected",
      metric: canary.metricErrors({ statistic: "Sum", period: Duration.minutes(5) }),
      atLeast: 1,
      isAlwaysSent: true,
      periods: 2,
      of: 3,
    },
  };
}

function ofSignIn({ identity, preTokenGeneration, postConfirmation, settings }: Watched): Record<string, Condition> {
  const period = Duration.minutes(5);
  const sum = { statistic: "Sum", period };
  return {
    SignInFails: {
      says: "People cannot sign in or confirm their account, because a trigger of the user pool fails",
      metric: new MathExpression({
        // To refuse a sign-in, a trigger has to fail. People who have to set a password first must raise no alarm.
        expression: "FILL(tokens, 0) + FILL(confirmations, 0) - FILL(refused, 0)",
        usingMetrics: {
          tokens: preTokenGeneration.metricErrors(sum),
          confirmations: postConfirmation.metricErrors(sum),
          refused: measured(settings, "unproven_account", "pre-token-generation", period).with(sum),
        },
        label: "errors",
        period,
      }),
      atLeast: 3,
    },
    SignInThrottled: {
      says: "Cognito rejects sign-ins or refreshes of tokens, because its limit is reached",
      metric: sumOf(identity.throttled(period), { label: "rejected", period }),
      atLeast: 10,
    },
    // SES places an account under review at 5 %, and may pause it at 10 %.
    ...(settings.sender && {
      EmailBounces: {
        says: "At least one email in twenty of this account bounces, and SES pauses accounts above one in ten",
        metric: new Metric({
          namespace: "AWS/SES",
          metricName: "Reputation.BounceRate",
          statistic: "Maximum",
          period: Duration.hours(1),
        }),
        atLeast: 0.05,
      },
    }),
  };
}

function ofStripe({ settings }: Watched): Record<string, Condition> {
  const quarter = Duration.minutes(15);
  const hour = Duration.hours(1);
  const handled = measured(settings, "webhook_age_ms", webhookRoute, hour).with({ statistic: "SampleCount" });
  const missed = measured(settings, "missed_events", "reconcile", hour).with({ statistic: "Sum" });
  return {
    WebhookAge: {
      says: "Stripe's events are handled more than five minutes after they were created",
      metric: new MathExpression({
        expression: "FILL(late, 0)",
        usingMetrics: {
          late: measured(settings, "webhook_age_ms", webhookRoute, quarter).with({ statistic: countFrom(5 * 60_000) }),
        },
        label: "late",
        period: quarter,
      }),
      atLeast: 3,
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
    StripeKeyRefused: {
      says: "Stripe refuses a key of the stage, which was revoked or has expired",
      metric: new Metric({
        namespace: metricsNamespace(settings),
        metricName: metricOfStage,
        statistic: "Sum",
        period: Duration.minutes(15),
      }),
      atLeast: 1,
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
    ...notFinished(reconcile, 3),
  },
  SnapshotNotFinished: {
    says: "The schedule that makes snapshots of the directory has not succeeded for an hour",
    ...notFinished(compactDirectory, 4),
  },
});

const ofLimits = ({ table }: Watched): Record<string, Condition> => ({
  FunctionsThrottled: {
    says: "The limit of concurrent executions of the account, or of those reserved for a function, is reached",
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
  DeliveriesWaiting: {
    says: "The oldest message of a delivery queue has waited for half an hour",
    metric: deliveries.oldestMessage(Duration.minutes(5)),
    atLeast: 30 * 60,
    periods: 3,
  },
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
