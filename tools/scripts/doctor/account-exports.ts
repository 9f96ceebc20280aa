import { CognitoIdentityProviderClient, DescribeUserPoolCommand } from "@aws-sdk/client-cognito-identity-provider";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { exportKey, exportPeriodMs } from "#lib/accounts/export.ts";
import { s3Client } from "#lib/aws.ts";
import type { Check, Fault } from "./check.ts";
import { outputOf } from "./stack.ts";

type PoolExport = {
  readonly stage: string;
  /** When the last complete export began: S3 dates a multipart upload by its beginning. Undefined if there is none. */
  readonly exportedAt: Date | undefined;
  /** When the pool was created. It needs no export before the schedule has had time for one. */
  readonly createdAt: Date | undefined;
};

const hour = 60 * 60_000;

/** An export of the user pool's accounts that is missing, or older than two periods of its schedule. */
export function accountExportFaults({ stage, exportedAt, createdAt }: PoolExport, now: Date): readonly Fault[] {
  const since = exportedAt ?? createdAt;
  const ageMs = since ? now.getTime() - since.getTime() : Number.POSITIVE_INFINITY;
  if (ageMs <= 2 * exportPeriodMs) return [];
  const says = exportedAt
    ? `The last export of the user pool's accounts is ${Math.floor(ageMs / hour)} hours old.`
    : "The user pool's accounts were never exported.";
  return [
    {
      says: `${says} Mend the cause first: npm run logs -- --stage ${stage} Errors --function TriggersExportAccounts.`,
      command: `npm run pool:export -- --stage ${stage}`,
    },
  ];
}

export const accountExports: Check = {
  name: "export of the accounts",
  async look(stack) {
    const UserPoolId = outputOf(stack, "UserPoolId");
    const Key = exportKey(UserPoolId);
    const listing = new ListObjectsV2Command({
      Bucket: outputOf(stack, "AccountsBucketName"),
      Prefix: Key,
      MaxKeys: 1,
    });
    const [{ Contents: [object] = [] }, { UserPool }] = await Promise.all([
      s3Client().send(listing),
      new CognitoIdentityProviderClient().send(new DescribeUserPoolCommand({ UserPoolId })),
    ]);
    const { stage, now } = stack;
    return accountExportFaults({ stage, exportedAt: object?.LastModified, createdAt: UserPool?.CreationDate }, now);
  },
};
