import { Match } from "aws-cdk-lib/assertions";
import { expect, it } from "vitest";
import { functions, rightsOf, template } from "./prod.ts";

it("the bucket of erasures is private, versioned, encrypted and never deleted", () => {
  template.hasResource("AWS::S3::Bucket", {
    Properties: {
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      VersioningConfiguration: { Status: "Enabled" },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }],
      },
      LifecycleConfiguration: Match.absent(),
    },
    DeletionPolicy: "RetainExceptOnCreate",
  });
});

it("only erasures and the schedule that completes them may add objects to the bucket or delete accounts", () => {
  const erasing = Object.entries(functions).filter(([, { Properties }]) =>
    rightsOf(Properties.Role["Fn::GetAtt"][0]).some((right) => /AdminDeleteUser|erasures/.test(right)),
  );
  expect(erasing.map(([id]) => id).toSorted()).toEqual(["MeErase", "TriggersReconcile", "UsersErase"]);
});
