import { describe, expect, it } from "vitest";
import { settingsFor } from "../../infra/settings.ts";
import { resources, template } from "./prod.ts";
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

describe("what cannot be changed after the first deployment", () => {
  it("the user pool ignores the case of email addresses", () => {
    template.hasResourceProperties("AWS::Cognito::UserPool", {
      UsernameAttributes: ["email"],
      UsernameConfiguration: { CaseSensitive: false },
    });
  });

  it("a new email address takes effect once it is verified", () => {
    template.hasResourceProperties("AWS::Cognito::UserPool", {
      UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ["email"] },
    });
  });

  it("the client allows people to write only the attributes of their profile", () => {
    const profile = ["email", "family_name", "given_name", "preferred_username"];
    template.hasResourceProperties("AWS::Cognito::UserPoolClient", {
      WriteAttributes: profile,
      ReadAttributes: [...profile, "email_verified"].toSorted(),
    });
  });

  it("the client signs in with SRP only, so that no password is sent", () => {
    template.hasResourceProperties("AWS::Cognito::UserPoolClient", {
      ExplicitAuthFlows: ["ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
    });
  });

  // Another logical id is another resource: CloudFormation would create an empty one beside the old one.
  it.each([
    ["AWS::Cognito::UserPool", ["IdentityPool9E5AED46"]],
    ["AWS::Cognito::UserPoolClient", ["IdentityPoolClientCDD42828"]],
    ["AWS::Cognito::UserPoolGroup", ["Identityadmin3A3199A7", "Identityeditor512C4435"]],
    ["AWS::DynamoDB::GlobalTable", ["Table710B521B"]],
    [
      "AWS::S3::Bucket",
      ["ErasuresBucket8F1B4939", "FailedRecordsBucket8BDE9169", "SiteBucket978D4AEB", "SnapshotsBucket4B2233F7"],
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

describe("a first deployment that fails", () => {
  it.each(kinds)("a failed first deployment leaves no %s behind, which a deleted stack retains otherwise", (type) => {
    const policies = ofKind(type).map(([, { DeletionPolicy, UpdateReplacePolicy }]) => [
      DeletionPolicy,
      UpdateReplacePolicy,
    ]);
    expect(policies).not.toEqual([]);
    for (const one of policies) expect(one).toEqual(["RetainExceptOnCreate", "Retain"]);
  });
});
