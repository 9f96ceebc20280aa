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

test("tokens come out as the example of AWS's documentation says", () => {
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

test.each([null, undefined])("a response of %s leaves the tokens as they are", (details) => {
  const before = structuredClone(access);
  expect(overridden(access, overridesFrom(details))).toEqual(before);
});

describe("groups that are not handed back are gone", () => {
  test.each([{}, { groupOverrideDetails: {} }, { groupOverrideDetails: null }])("%o", (details) => {
    const { "cognito:groups": _, ...rest } = access;
    expect(overridden(access, overridesFrom(details))).toEqual(rest);
  });

  test("and those that are stay", () => {
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
])("the claim %s is reserved", (name) => {
  const wish = { claimsToAddOrOverride: { [name]: "changed" } };
  expect(overridden(access, overridesFrom({ ...keepGroups, accessTokenGeneration: wish }))).toEqual(access);
});

test("a claim may be any JSON", () => {
  const claims = { user_id: 7, admin: true, list: ["a", 1], nested: { a: { b: null } } };
  const overrides = overridesFrom({ ...keepGroups, accessTokenGeneration: { claimsToAddOrOverride: claims } });
  expect(overridden(access, overrides)).toEqual({ ...access, ...claims });
});

test("suppressing wins over adding, takes the groups away, and leaves what is reserved", () => {
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
  "a result of %o is not an event with a response",
  (result) => {
    expect(() => overridesOf(result)).toThrow("Invalid");
  },
);
