import type { Acknowledgment } from "aws-cdk-lib";

/** Accepted findings of the rule packs (`main.ts`), with reasons. */
export const acknowledged: readonly Acknowledgment[] = [
  {
    id: "AwsSolutions-APIG4",
    reason: "Functions check tokens themselves, as routes may be open, and as errors are problem documents",
  },
  {
    id: "AwsSolutions-COG1",
    reason: "Twelve characters without symbols, as NIST SP 800-63B has it: length counts, composition does not",
  },
  { id: "AwsSolutions-COG2", reason: "Members of a community sign in here: a second factor is theirs to choose" },
  { id: "AwsSolutions-COG8", reason: "Essentials has all that is used; Plus doubles the price of every user" },
  {
    id: "AwsSolutions-IAM5[Resource::<Table710B521B.Arn>/stream/*]",
    reason: "Streams of one table are listed by a pattern, as each has the time it was made in its name",
  },
  {
    id: "AwsSolutions-IAM5[Resource::<SnapshotsBucket4B2233F7.Arn>/directory/*]",
    reason: "Each snapshot is an object with a name of its own, and no function may list them",
  },
  {
    id: "AwsSolutions-IAM5[Resource::<ErasuresBucket8F1B4939.Arn>/erasures/*]",
    reason: "Each erasure is an object with a name of its own, and functions may only add them",
  },
  { id: "AwsSolutions-CFR1", reason: "Odis is for people of every country" },
  { id: "AwsSolutions-CFR2", reason: "An operator gives the ARN of a web ACL (webAclArn), which costs by the month" },
  {
    id: "AwsSolutions-CFR3",
    reason: "Such a log holds the addresses of all visitors. The access log of the API has its requests without them",
  },
  {
    id: "AwsSolutions-CFR4",
    reason: "CloudFront decides for its own domain names. With a domain of ours, TLS 1.2 is the least",
  },
  { id: "AwsSolutions-S1", reason: "The buckets hold copies of what the table lists publicly, and ids of users" },
  {
    id: "AwsSolutions-IAM5[Resource::<FailedRecordsBucket8BDE9169.Arn>/aws/lambda/*]",
    reason: "Lambda names each object by mapping, shard and time, and the functions may only add them",
  },
  { id: "AwsSolutions-S1", reason: "No one reads the buckets but functions, and operators whom CloudTrail can log" },
  {
    id: "AwsSolutions-SMG4",
    reason:
      "Stripe has no interface to rotate its keys by, and a cursor's signature grants nothing: docs/operations.md",
  },
  {
    id: "Serverless-LambdaDLQ",
    reason: "Routes are called synchronously, streams have their own bucket, and a schedule's next run does it all",
  },
  { id: "Serverless-LambdaAsyncFailureDestination", reason: "A schedule's next run does what one has not" },
  {
    id: "Serverless-SNSRedrivePolicy",
    reason:
      "Alarms are sent by email, which SNS repeats for six hours; nobody would hear of messages in a queue, as that is told by email too",
  },
  { id: "Serverless-EventBusDLQ", reason: "What one run of a schedule misses, the next one does" },
  {
    id: "Serverless-LambdaTracing",
    reason: "The line about a request says where its time went; X-Ray would need a right to all resources",
  },
];
