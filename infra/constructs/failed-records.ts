import { Grant } from "aws-cdk-lib/aws-iam";
import type { IEventSourceDlq } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import type { NodeFunction } from "./node-function.ts";
import { PrivateBucket } from "./private-bucket.ts";

/** The bucket of complete stream records that a consumer failed to handle, for `npm run redrive`. */
export class FailedRecords extends Construct {
  readonly #bucket: PrivateBucket;

  constructor(scope: Construct, id: string, { removalPolicy }: Settings) {
    super(scope, id);
    // Records contain profiles, so they are kept no longer than backups of the table.
    this.#bucket = new PrivateBucket(this, "Bucket", { keepDays: 35, removalPolicy });
  }

  get bucketName(): string {
    return this.#bucket.bucketName;
  }

  /** The destination for failed records of a consumer. Both Lambda and the consumer write there, with the consumer's role. */
  destinationOf(consumer: NodeFunction): IEventSourceDlq {
    consumer.addEnvironment("FAILED_RECORDS_BUCKET", this.#bucket.bucketName);
    const grant = (action: string, resourceArn: string) =>
      Grant.addToPrincipal({ grantee: consumer, actions: [action], resourceArns: [resourceArn] });
    // CDK's own destination would also allow reads and deletions.
    grant("s3:PutObject", this.#bucket.arnForObjects("aws/lambda/*"));
    grant("s3:ListBucket", this.#bucket.bucketArn);
    return { bind: () => ({ destination: this.#bucket.bucketArn }) };
  }
}
