import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type IMetric, Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { stripe as webhook } from "#lib/contract/webhooks.ts";
import { metricsNamespace, type Settings } from "../settings.ts";
import type { Api } from "./api.ts";
import type { StreamConsumer } from "./stream-consumer.ts";
import type { Table } from "./table.ts";
import type { TriggerFunction } from "./trigger-function.ts";

/** What is watched; the alarms and the dashboard look at the same. */
export type Watched = {
  readonly api: Api;
  readonly table: Table;
  readonly consumers: Readonly<Record<string, StreamConsumer>>;
  readonly preTokenGeneration: TriggerFunction;
  readonly reconcile: TriggerFunction;
  readonly compactDirectory: TriggerFunction;
  readonly settings: Settings;
};

type Condition = {
  /** Description of the alarm, which is in the email. */
  readonly says: string;
  readonly metric: IMetric;
  /** From this value on, or where there is less than `below`, which no data is too … */
  readonly atLeast?: number;
  readonly below?: number;
  /** … in so many periods of the metric that follow each other: one where nothing is said. */
  readonly periods?: number;
};

const minutes = (period: number) => ({ period: Duration.minutes(period) });

/** What we measure ourselves (`lib/log.ts`), by route. */
export const measured = (settings: Settings, metricName: string, route: string, period: Duration): Metric =>
  new Metric({
    namespace: metricsNamespace(settings),
    metricName,
    dimensionsMap: { route },
    statistic: "Maximum",
    period,
  });

/** The name of the webhook's route in its log line. */
export const webhookRoute = `${webhook.method} ${webhook.path}`;

/** Only what a person has to act on, and soon; `docs/operations.md` says how. */
function conditions(watched: Watched): Record<string, Condition> {
  const { api, table, consumers, preTokenGeneration, reconcile, compactDirectory, settings } = watched;
  const ofConsumers = Object.entries(consumers).flatMap(([name, consumer]): [string, Condition][] => [
    [
      `${name}Lag`,
      {
        says: `${name} are more than a minute behind the table`,
        metric: consumer.function.metric("IteratorAge", { statistic: "Maximum", ...minutes(1) }),
        atLeast: 60_000,
        periods: 5,
      },
    ],
    [
      `${name}GivenUp`,
      {
        says: `${name} could not process some records, which are now in the dead-letter queue`,
        metric: consumer.deadLetters.metricApproximateNumberOfMessagesVisible({ ...minutes(5), statistic: "Maximum" }),
        atLeast: 1,
      },
    ],
  ]);
  return {
    ServerErrors: {
      says: "At least five requests in five minutes got a 5xx response",
      metric: api.stage.metricServerError({ statistic: "Sum", ...minutes(5) }),
      atLeast: 5,
    },
    Latency: {
      says: "The 99th percentile of latency has been at least three seconds for 15 minutes",
      metric: api.stage.metricLatency({ statistic: "p99", ...minutes(5) }),
      atLeast: 3000,
      periods: 3,
    },
    WebhookAge: {
      says: "A Stripe event was handled more than five minutes after it was created",
      metric: measured(settings, "webhook_age_ms", webhookRoute, Duration.minutes(5)),
      atLeast: 5 * 60_000,
    },
    WebhookRefused: {
      says: "At least five requests to the webhook in 15 minutes had no valid signature",
      metric: new Metric({
        namespace: metricsNamespace(settings),
        metricName: "problems",
        dimensionsMap: { problem: "invalid_signature" },
        statistic: "Sum",
        ...minutes(15),
      }),
      atLeast: 5,
    },
    WebhookSilent: {
      says: "Stripe has sent no event for a day",
      metric: measured(settings, "webhook_age_ms", webhookRoute, Duration.hours(1)).with({ statistic: "SampleCount" }),
      below: 1,
      periods: 24,
    },
    MoneyUnfinished: {
      says: "Refunds, cancellations, events or synchronizations have been unfinished for an hour",
      metric: measured(settings, "unfinished", "reconcile", Duration.minutes(15)),
      atLeast: 1,
      periods: 4,
    },
    ReconcileFails: {
      says: "The schedule that finishes interrupted operations fails",
      metric: reconcile.metricErrors({ statistic: "Sum", ...minutes(15) }),
      atLeast: 1,
      periods: 2,
    },
    SnapshotFails: {
      says: "No snapshot of the directory has been written for an hour, so cold starts get slower",
      metric: compactDirectory.metricErrors({ statistic: "Sum", ...minutes(15) }),
      atLeast: 1,
      periods: 4,
    },
    SignInFails: {
      says: "People cannot sign in, because Cognito could not create their tokens",
      metric: preTokenGeneration.metricErrors({ statistic: "Sum", ...minutes(5) }),
      atLeast: 3,
    },
    FunctionsThrottled: {
      says: "Functions are throttled, because the account is at its limit of concurrent executions",
      metric: new Metric({ namespace: "AWS/Lambda", metricName: "Throttles", statistic: "Sum", ...minutes(5) }),
      atLeast: 10,
    },
    TableThrottled: {
      says: "The table throttles reads or writes",
      metric: table.throttled(Duration.minutes(5)),
      atLeast: 10,
    },
    ...Object.fromEntries(ofConsumers),
  };
}

/** Alarms that a bad version raises within minutes: CloudFormation takes five at most. */
const rollbackTriggers = ["ServerErrors", "Latency", "SignInFails", "ProjectionsLag", "EventsLag"] as const;

/** What calls a person, and how: a topic that the addresses of the settings are subscribed to. */
export class Alarms extends Construct {
  readonly topicArn: string;
  readonly all: readonly Alarm[];
  /** Alarms that take a deployment back. */
  readonly rollbackArns: readonly string[];

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const { stage, alarmsTo } = watched.settings;
    const topic = new Topic(this, "Topic", { displayName: `Odis ${stage}`, enforceSSL: true });
    // The topic's own policy stands in the place of the usual one, which lets everything of the account in.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": topic.stack.account } },
      }),
    );
    for (const address of alarmsTo) topic.addSubscription(new EmailSubscription(address));

    this.topicArn = topic.topicArn;
    this.all = Object.entries(conditions(watched)).map(([name, { says, metric, atLeast, below, periods = 1 }]) => {
      const alarm = new Alarm(this, name, {
        alarmName: `odis-${stage}-${name}`,
        alarmDescription: `${says}. See ${name} in docs/operations.md.`,
        metric,
        evaluationPeriods: periods,
        ...(below === undefined
          ? {
              threshold: atLeast ?? 1,
              comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
              treatMissingData: TreatMissingData.NOT_BREACHING,
            }
          : {
              threshold: below,
              comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
              treatMissingData: TreatMissingData.BREACHING,
            }),
      });
      alarm.addAlarmAction(new SnsAction(topic));
      return alarm;
    });
    this.rollbackArns = rollbackTriggers.flatMap((name) => {
      const alarm = this.node.tryFindChild(name);
      return alarm instanceof Alarm ? [alarm.alarmArn] : [];
    });
  }
}
