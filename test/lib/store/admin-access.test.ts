import type { PreTokenGenerationV2TriggerEvent } from "aws-lambda";
import { expect, it } from "vitest";
import { claimsOf } from "#lib/auth/verify.ts";
import { appSeenAt, invite } from "#lib/store/admin-access.ts";
import { startTable } from "../../support/direct.ts";

const test = startTable();

it("a sign-in before the authenticator app was seen is no admin's, even if the trigger's clock is 5 s behind", async () => {
  const sub = "11111111-1111-4111-8111-111111111111";
  const now = new Date("2026-11-02T09:00:00.500Z");
  await invite(test.table, sub, now);
  const input = { now: () => now, hasApp: async () => true, endSessions: async () => {} };
  expect(await appSeenAt(test.table, sub, input)).toBeUndefined();
  const admin_since = await appSeenAt(test.table, sub, input);
  expect(admin_since).toBeDefined();

  const groupsAt = (time: string) =>
    claimsOf({ "cognito:groups": ["admin"], admin_since, auth_time: Date.parse(time) / 1000 }).groups;
  expect(groupsAt("2026-11-02T09:00:05Z")).toEqual([]);
  expect(groupsAt("2026-11-02T09:00:12Z")).toEqual(["admin"]);
});

it("an admin whose authenticator app cannot be looked up signs in without the group admin", async () => {
  const request = {
    userAttributes: { sub: "22222222-2222-4222-8222-222222222222", email: "", email_verified: "false" },
    groupConfiguration: { groupsToOverride: ["admin", "editor"] },
  };
  const event = { userPoolId: "pool", userName: "ada", triggerSource: "TokenGeneration_Authentication", request };
  const fail = async () => {
    throw new Error("TooManyRequestsException");
  };
  const pool = { hasTotp: fail, isGone: fail, endSessions: fail, resetPassword: fail };
  const answered = event as unknown as PreTokenGenerationV2TriggerEvent;
  Object.assign(process.env, { TABLE_NAME: test.name, USER_POOL_ID: "pool" });
  const { addClaims } = await import("../../../functions/triggers/pre-token-generation.ts");
  await addClaims(answered, { table: test.table, pool, now: () => new Date("2026-11-02T09:00:00Z") } as never);
  expect(answered.response).toMatchObject({
    claimsAndScopeOverrideDetails: { groupOverrideDetails: { groupsToOverride: ["editor"] } },
  });
});
