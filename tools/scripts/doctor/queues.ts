import { CloudWatchClient, GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { sqsClient } from "#lib/aws.ts";
import type { Check, Fault } from "./check.ts";
import { type CheckedStack, resourcesOf } from "./stack.ts";

/** A queue, and how many messages are in it. */
export type QueueState = {
  /** Id in the template. */
  readonly id: string;
  readonly arn: string;
  readonly messages: number;
  /** Whether other queues send it the messages that failed. */
  readonly isForFailed: boolean;
};

/**
 * Dead letters, which stay until somebody moves them back. The destination has to be named, because SQS does not know from
 * which queue the messages of EventBridge come. The function reads all messages in the same way, so one queue takes them all.
 */
export function deadLetterFaults(queues: readonly QueueState[]): readonly Fault[] {
  const destination = queues.find(({ id, isForFailed }) => !isForFailed && !id.includes("Slow"));
  const words = destination ? ` --destination-arn ${destination.arn}` : "";
  return queues
    .filter(({ isForFailed, messages }) => isForFailed && messages > 0)
    .map(({ arn, messages }) => ({
      says: `${messages} messages of the delivery queues failed, and are deleted after 14 days. Mend the cause first (DeliveriesGivenUp in docs/operations.md).`,
      command: `aws sqs start-message-move-task --source-arn ${arn}${words}`,
    }));
}

/** From this age, in seconds, deliveries are late. Attempts that are planned for later wait in the queue for up to 15 minutes. */
const lateFrom = 30 * 60;

/** Queues whose oldest message has waited too long. @param ages in seconds, by the id of the queue */
export const lateFaults = (stage: string, ages: Readonly<Record<string, number | undefined>>): readonly Fault[] =>
  Object.entries(ages)
    .filter(([, age = 0]) => age >= lateFrom)
    .map(([id, age = 0]) => ({
      says: `The oldest message of the queue ${id} has waited for ${Math.round(age / 60)} minutes, so events are delivered late.`,
      command: `npm run logs -- --stage ${stage} Errors --function TriggersDeliver`,
    }));

async function readQueues(stack: CheckedStack): Promise<QueueState[]> {
  const client = sqsClient();
  const found = await Promise.all(
    resourcesOf(stack, "AWS::SQS::Queue").map(async ({ id, name: QueueUrl }) => {
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: ["QueueArn", "ApproximateNumberOfMessages", "RedrivePolicy"],
        }),
      );
      return { id, ...Attributes };
    }),
  );
  const targets = found.map(({ RedrivePolicy = "{}" }) => (JSON.parse(RedrivePolicy) as Target).deadLetterTargetArn);
  return found.map(({ id, QueueArn: arn = "", ApproximateNumberOfMessages: messages = "0" }) => ({
    id,
    arn,
    messages: Number(messages),
    isForFailed: targets.includes(arn),
  }));
}
type Target = { readonly deadLetterTargetArn?: string };

async function readAges(stack: CheckedStack): Promise<Readonly<Record<string, number | undefined>>> {
  const queues = (await readQueues(stack)).filter(({ isForFailed }) => !isForFailed);
  const metric = (arn: string) => ({
    Namespace: "AWS/SQS",
    MetricName: "ApproximateAgeOfOldestMessage",
    Dimensions: [{ Name: "QueueName", Value: arn.split(":").at(-1) }],
  });
  const { MetricDataResults = [] } = await new CloudWatchClient().send(
    new GetMetricDataCommand({
      StartTime: new Date(stack.now.getTime() - lateFrom * 1000),
      EndTime: stack.now,
      ScanBy: "TimestampDescending",
      MetricDataQueries: queues.map(({ arn }, n) => ({
        Id: `queue${n}`,
        MetricStat: { Metric: metric(arn), Period: 60, Stat: "Maximum" },
      })),
    }),
  );
  // Without messages, SQS sends no metric.
  const ages = queues.map(({ id }, n) => [id, MetricDataResults.find(({ Id }) => Id === `queue${n}`)?.Values?.[0]]);
  return Object.fromEntries(ages) as Record<string, number | undefined>;
}

export const deadLetters: Check = {
  name: "dead letters",
  look: async (stack) => deadLetterFaults(await readQueues(stack)),
};
export const lateMessages: Check = {
  name: "age of queued messages",
  look: async (stack) => lateFaults(stack.stage, await readAges(stack)),
};
