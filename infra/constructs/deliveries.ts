import { Duration, Validations } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { type IEventBus, Match, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { EventSourceMapping, RecursiveLoop } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { triggerTimeLimits } from "#lib/contract/time-limits.ts";
import { metricsNamespace, type Settings } from "../settings.ts";
import type { NodeFunction } from "./node-function.ts";
import type { Secrets } from "./secrets.ts";
import type { Table } from "./table.ts";
import { TriggerFunction } from "./trigger-function.ts";

type Props = {
  readonly bus: IEventBus;
  readonly secrets: Secrets;
  readonly table: Table;
  readonly settings: Settings;
};

/**
 * Number of messages of a queue that are handled at the same time. SQS prefers destinations with few messages in
 * progress.
 */
const batchSize = 10;
const maxConcurrency = 20;

/**
 * Delivery of events from the bus to the event destinations: the function that sends them, and its two queues. One queue is
 * for destinations that respond slowly.
 */
export class Deliveries extends Construct {
  readonly function: TriggerFunction;
  /** Messages that could not be handled. Kept for 14 days. */
  readonly deadLetters: Queue;
  private readonly queues: { readonly fast: Queue; readonly slow: Queue };

  constructor(scope: Construct, id: string, { bus, secrets, table, settings }: Props) {
    super(scope, id);
    this.function = new TriggerFunction(this, "TriggersDeliver", {
      file: "deliver",
      description: "Deliver events to event destinations",
      access: "write",
      // The retries of a delivery and the pages of a resend are chains of messages, which end after more than 16 of them.
      recursiveLoop: RecursiveLoop.ALLOW,
      table,
      settings,
    });
    const { removalPolicy } = settings;
    const retentionPeriod = Duration.days(14);
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod, removalPolicy };
    this.deadLetters = new Queue(this, "DeadLetters", common);
    Validations.of(this.deadLetters).acknowledge({
      id: "Serverless::Serverless-SQSRedrivePolicy",
      reason: "It is the dead-letter queue itself: an alarm says when a message comes to it",
    });
    const fast = this.addQueue("Queue", common);
    const slow = this.addQueue("SlowQueue", common);
    this.queues = { fast, slow };
    this.open(this.function);
    this.function.addEnvironment("METRICS_NAMESPACE", metricsNamespace(settings));
    secrets.openSealing(this.function);
    this.read("Mapping", fast, settings);
    this.read("SlowMapping", slow, settings);
    // Stays enabled during maintenance: functions still send events while the deployment that begins it runs.
    new Rule(this, "ToQueue", {
      description: "Queues the events of communities for delivery",
      eventBus: bus,
      // Brands belong to no community, so no destination receives their events.
      eventPattern: { source: ["odis"], detailType: Match.anythingButPrefix("brand.") },
      targets: [new SqsQueue(fast, { deadLetterQueue: this.deadLetters })],
    });
  }

  /** Age of the oldest message of both queues, in seconds. */
  oldestMessage(period: Duration): IMetric {
    const { fast, slow } = this.queues;
    const usingMetrics = {
      fast: fast.metricApproximateAgeOfOldestMessage({ statistic: "Maximum", period }),
      slow: slow.metricApproximateAgeOfOldestMessage({ statistic: "Maximum", period }),
    };
    const expression = "MAX([FILL(fast, 0), FILL(slow, 0)])";
    return new MathExpression({ expression, usingMetrics, label: "seconds", period });
  }

  /** Allows a function to send messages to the queues. */
  open(fn: NodeFunction): void {
    const { fast, slow } = this.queues;
    fn.addEnvironment("DELIVERY_QUEUE_URL", fast.queueUrl);
    fn.addEnvironment("SLOW_DELIVERY_QUEUE_URL", slow.queueUrl);
    for (const queue of [fast, slow]) queue.grantSendMessages(fn);
  }

  private addQueue(id: string, props: QueueProps): Queue {
    return new Queue(this, id, {
      ...props,
      // AWS recommends six times the timeout of the function.
      visibilityTimeout: Duration.seconds(6 * triggerTimeLimits.deliver),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 },
    });
  }

  /** Makes the function receive the messages of a queue. */
  private read(id: string, queue: Queue, settings: Settings): void {
    queue.grantConsumeMessages(this.function);
    const mapping = new EventSourceMapping(this, id, {
      target: this.function,
      eventSourceArn: queue.queueArn,
      enabled: !settings.maintenance,
      batchSize,
      maxConcurrency,
      reportBatchItemFailures: true,
    });
    Validations.of(mapping).acknowledge({
      id: "Serverless::Serverless-LambdaEventSourceMappingDestination",
      reason: "Lambda has such a destination for streams only: the queue itself has the dead-letter queue",
    });
  }
}
