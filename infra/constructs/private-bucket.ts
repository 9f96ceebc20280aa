import { Duration } from "aws-cdk-lib";
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";

type Props = Pick<BucketProps, "removalPolicy" | "versioned"> & {
  /** After how many days objects are deleted; never where it is not given. */
  readonly keepDays?: number;
};

/** A bucket that nobody reaches but functions and operators, over TLS. */
export class PrivateBucket extends Bucket {
  constructor(scope: Construct, id: string, { keepDays, ...props }: Props) {
    const expiring = keepDays !== undefined && {
      lifecycleRules: [{ expiration: Duration.days(keepDays), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    };
    super(scope, id, {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      ...expiring,
      ...props,
    });
  }
}
