import { describe, expect, it } from "vitest";
import { settingsFor } from "../../infra/settings.ts";
import { allowedTo, functions, logs, resources, template } from "./prod.ts";
import { synthesized } from "./synthesized.ts";

const id = "TriggersExportAccounts";
const [poolId = ""] = Object.keys(resources("AWS::Cognito::UserPool"));
const [bucketId = ""] = Object.keys(resources("AWS::S3::Bucket")).filter((name) => name.startsWith("AccountExports"));

describe("the schedule that exports the accounts of the user pool", () => {
  it("the schedule runs every 15 minutes, so that an export which does not end within a run is resumed soon", () => {
    template.hasResourceProperties("AWS::Events::Rule", {
      ScheduleExpression: "rate(15 minutes)",
      State: "ENABLED",
      Targets: [{ Arn: { "Fn::GetAtt": [id, "Arn"] } }],
    });
    expect(functions[id]?.Properties.Timeout).toBe(600);
  });

  it("the function may list the accounts of the pool, and write the pool's export and its state", () => {
    const ofPool = ["ListGroups", "ListUsers", "ListUsersInGroup"].map((action) => `cognito-idp:${action} ${poolId}`);
    expect(allowedTo(id).toSorted()).toEqual(
      [
        ...logs(id),
        ...ofPool,
        `s3:PutObject ${bucketId}/accounts/${poolId}.jsonl`,
        `s3:GetObject ${bucketId}/state/${poolId}.json`,
        `s3:PutObject ${bucketId}/state/${poolId}.json`,
        `s3:ListBucket ${bucketId}`,
      ].toSorted(),
    );
    expect(functions[id]?.Properties.Environment?.Variables).toEqual({
      ACCOUNTS_BUCKET: { Ref: bucketId },
      USER_POOL_ID: { Ref: poolId },
    });
  });

  it("no other function may read or write the exports", () => {
    const others = Object.keys(functions).filter((other) => allowedTo(other).some((right) => right.includes(bucketId)));
    expect(others).toEqual([id]);
  });
});

describe("the bucket of the exports", () => {
  it("the bucket is private, encrypted and versioned, and refuses requests without TLS", () => {
    const allPublicAccess = ["BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"];
    expect(resources("AWS::S3::Bucket")[bucketId]?.Properties).toMatchObject({
      PublicAccessBlockConfiguration: Object.fromEntries(allPublicAccess.map((name) => [name, true])),
      VersioningConfiguration: { Status: "Enabled" },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }],
      },
    });
    template.hasResourceProperties("AWS::S3::BucketPolicy", {
      Bucket: { Ref: bucketId },
      PolicyDocument: { Statement: [{ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } }] },
    });
  });

  it("an old version is deleted 35 days after it was replaced, and an export that nothing replaces within 70 days", () => {
    expect(resources("AWS::S3::Bucket")[bucketId]?.Properties).toMatchObject({
      LifecycleConfiguration: {
        Rules: [
          {
            Status: "Enabled",
            ExpirationInDays: 35,
            NoncurrentVersionExpiration: { NoncurrentDays: 35 },
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
          },
        ],
      },
    });
  });

  it("prod retains the bucket as it retains the table, and a sandbox deletes both", () => {
    const policiesOf = ({ resources: of }: Pick<ReturnType<typeof synthesized>, "resources">) =>
      [of("AWS::S3::Bucket")[bucketId], Object.values(of("AWS::DynamoDB::GlobalTable"))[0]].map(
        (resource) => resource?.DeletionPolicy,
      );
    expect(policiesOf({ resources })).toEqual(["RetainExceptOnCreate", "RetainExceptOnCreate"]);
    expect(policiesOf(synthesized(settingsFor("sandbox")))).toEqual(["Delete", "Delete"]);
  });
});
