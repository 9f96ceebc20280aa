import { HeadBucketCommand } from "@aws-sdk/client-s3";
import { GetTopicAttributesCommand, SNSClient } from "@aws-sdk/client-sns";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { s3Client, sqsClient } from "#lib/aws.ts";
import type { Check, Fault } from "./check.ts";
import { type CheckedStack, type MaybeInMaintenance, resourcesOf, revertDrift } from "./stack.ts";

/** Names of the errors by which AWS says that a queue, a topic or a bucket does not exist. */
const notFound = ["QueueDoesNotExist", "NotFoundException", "NotFound", "NoSuchBucket"];

/** Queues, topics or buckets that somebody deleted. @param ids in the template */
const lossFaults = (what: string, ids: readonly string[], stack: MaybeInMaintenance): readonly Fault[] =>
  ids.map((id) => ({
    says: `The ${what} ${id} was deleted. See Losses in docs/operations.md for what was lost with it.`,
    command: revertDrift(stack),
  }));

/** @param describe reads a resource by its name in AWS */
const check = (what: string, type: string, describe: (name: string) => Promise<unknown>): Check => ({
  name: `${what}s`,
  async look(stack: CheckedStack) {
    const ids = await Promise.all(
      resourcesOf(stack, type).map(({ id, name }) =>
        describe(name).then(
          () => [],
          (error: Error) => {
            if (!notFound.includes(error.name)) throw error;
            return id;
          },
        ),
      ),
    );
    return lossFaults(what, ids.flat(), stack);
  },
});

export const losses: readonly Check[] = [
  check("queue", "AWS::SQS::Queue", (QueueUrl) => sqsClient().send(new GetQueueAttributesCommand({ QueueUrl }))),
  check("topic", "AWS::SNS::Topic", (TopicArn) => new SNSClient().send(new GetTopicAttributesCommand({ TopicArn }))),
  check("bucket", "AWS::S3::Bucket", (Bucket) => s3Client().send(new HeadBucketCommand({ Bucket }))),
];
