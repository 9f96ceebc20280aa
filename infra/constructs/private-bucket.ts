import { Duration } from "aws-cdk-lib";
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";

type Props = Pick<BucketProps, "removalPolicy" | "versioned"> & {
  /**
   * Days after which objects are deleted. In a bucket with versions, they become old versions, which are deleted after as many
   * days again. Default: never.
   */
  readonly keepDays?: number;
};

/** A bucket without public access. Requires TLS. */
export class PrivateBucket extends Bucket {
  constructor(scope: Construct, id: string, { keepDays, ...props }: Props) {
    const expiration = keepDays === undefined ? undefined : Duration.days(keepDays);
    const expiring = expiration && {
      lifecycleRules: [
        {
          expiration,
          ...(props.versioned && { noncurrentVersionExpiration: expiration }),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
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
