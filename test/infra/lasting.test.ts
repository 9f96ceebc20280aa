import { describe, expect, it } from "vitest";
import { settingsFor } from "../../infra/settings.ts";
import { resources } from "./prod.ts";
import { synthesized } from "./synthesized.ts";

/** Of the types that hold data, which the stack retains. */
const kinds = [
  "AWS::Cognito::UserPool",
  "AWS::DynamoDB::GlobalTable",
  "AWS::Logs::LogGroup",
  "AWS::S3::Bucket",
  "AWS::SecretsManager::Secret",
];
const ofKind = (type: string) => Object.entries(resources<object>(type));

describe("properties that cannot be changed after the first deployment", () => {
  // Another logical id is another resource: CloudFormation would create an empty one beside the old one.
  it.each([
    ["AWS::Cognito::UserPool", ["IdentityPool9E5AED46"]],
    ["AWS::Cognito::UserPoolClient", ["IdentityPoolClientCDD42828"]],
    ["AWS::Cognito::UserPoolGroup", ["Identityadmin3A3199A7", "Identityeditor512C4435"]],
    ["AWS::DynamoDB::GlobalTable", ["Table710B521B"]],
    [
      "AWS::S3::Bucket",
      [
        "AccountExportsBucketBD1EA4CD",
        "ErasuresBucket8F1B4939",
        "FailedRecordsBucket8BDE9169",
        "SiteBucket978D4AEB",
        "SnapshotsBucket4B2233F7",
      ],
    ],
    [
      "AWS::SecretsManager::Secret",
      [
        "SecretsCursorKey8CC98ED6",
        "SecretsSealingKeyA485D250",
        "SecretsStripe8F38C071",
        "SecretsStripeReadingB4C80A10",
      ],
    ],
  ])("the logical ids of %s are those of the first deployment: %j", (type, ids) => {
    expect(
      ofKind(type)
        .map(([id]) => id)
        .toSorted(),
    ).toEqual(ids);
  });

  it("the logical ids are the same in all stages", () => {
    const sandbox = synthesized(settingsFor("sandbox"));
    for (const type of kinds)
      expect(Object.keys(sandbox.resources(type)).toSorted()).toEqual(
        ofKind(type)
          .map(([id]) => id)
          .toSorted(),
      );
  });
});

it.each(kinds)("a failed first deployment leaves no %s behind, although a deleted stack retains it", (type) => {
  const policies = ofKind(type).map(([, { DeletionPolicy, UpdateReplacePolicy }]) => [
    DeletionPolicy,
    UpdateReplacePolicy,
  ]);
  expect(policies).not.toEqual([]);
  for (const one of policies) expect(one).toEqual(["RetainExceptOnCreate", "Retain"]);
});
