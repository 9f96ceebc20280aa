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
