import { describe, expect, test } from "vitest";
import { overridden, overridesOf } from "../../../tools/local/cognito/trigger.ts";

const access = {
  sub: "s",
  token_use: "access",
  client_id: "c",
  username: "anna",
  scope: "aws.cognito.signin.user.admin phone",
  "cognito:groups": ["group-1"],
};
const id = { sub: "s", token_use: "id", aud: "c", email: "anna@example.com", "cognito:groups": ["group-1"] };
const keepGroups = { groupOverrideDetails: { groupsToOverride: ["group-1"] } };

const overridesFrom = (claimsAndScopeOverrideDetails: unknown) =>
  overridesOf({ response: { claimsAndScopeOverrideDetails } });

test("the overridden tokens match the example in AWS's documentation", () => {
  const overrides = overridesFrom({
    idTokenGeneration: {
      claimsToAddOrOverride: { family_name: "Doe" },
      claimsToSuppress: ["email", "phone_number"],
    },
    accessTokenGeneration: {
      scopesToAdd: ["openid", "email", "solar-system-data/asteroids.add"],
      scopesToSuppress: ["phone_number", "aws.cognito.signin.user.admin"],
    },
    groupOverrideDetails: { groupsToOverride: ["new-group-A", "new-group-B", "new-group-C"] },
  });
  const groups = { "cognito:groups": ["new-group-A", "new-group-B", "new-group-C"] };
  expect(overridden(id, overrides)).toEqual({ sub: "s", token_use: "id", aud: "c", family_name: "Doe", ...groups });
  expect(overridden(access, overrides)).toEqual({
    ...access,
    scope: "phone openid email solar-system-data/asteroids.add",
    ...groups,
  });
});

test.each([null, undefined])("a response of %s leaves the tokens unchanged", (details) => {
  const before = structuredClone(access);
  expect(overridden(access, overridesFrom(details))).toEqual(before);
});

describe("groups that a trigger does not return", () => {
  test.each([{}, { groupOverrideDetails: {} }, { groupOverrideDetails: null }])(
    "groups are removed by the overrides %o",
    (details) => {
      const { "cognito:groups": _, ...rest } = access;
      expect(overridden(access, overridesFrom(details))).toEqual(rest);
    },
  );

  test("groups that a trigger returns are kept", () => {
    expect(overridden(access, overridesFrom(keepGroups))).toEqual(access);
  });
});

test.each([
  "iss",
  "sub",
  "exp",
  "iat",
  "token_use",
  "client_id",
  "username",
  "scope",
  "origin_jti",
  "cognito:groups",
  "cognito:username",
  "dev:anything",
])("a trigger cannot change the claim %s", (name) => {
  const wish = { claimsToAddOrOverride: { [name]: "changed" } };
  expect(overridden(access, overridesFrom({ ...keepGroups, accessTokenGeneration: wish }))).toEqual(access);
});

test("a trigger can set a claim to any JSON value", () => {
  const claims = { user_id: 7, admin: true, list: ["a", 1], nested: { a: { b: null } } };
  const overrides = overridesFrom({ ...keepGroups, accessTokenGeneration: { claimsToAddOrOverride: claims } });
  expect(overridden(access, overrides)).toEqual({ ...access, ...claims });
});

test("suppressing a claim overrides adding it, removes groups, and keeps reserved claims", () => {
  const overrides = overridesFrom({
    ...keepGroups,
    accessTokenGeneration: {
      claimsToAddOrOverride: { user_id: 7 },
      claimsToSuppress: ["user_id", "cognito:groups", "sub", "username"],
    },
  });
  const { "cognito:groups": _, ...rest } = access;
  expect(overridden(access, overrides)).toEqual(rest);
});

test.each([undefined, "ok", {}, { response: { claimsAndScopeOverrideDetails: "none" } }])(
  "overridesOf throws for the result %o",
  (result) => {
    expect(() => overridesOf(result)).toThrow("Invalid");
  },
);
