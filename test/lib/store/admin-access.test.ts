import { randomUUID } from "node:crypto";
import type { PreTokenGenerationV2TriggerEvent } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { claimsOf } from "#lib/auth/verify.ts";
import { appSeenAt, invite } from "#lib/store/admin-access.ts";
import { startTable } from "../../support/direct.ts";

const test = startTable();

it("a sign-in before the authenticator app was seen is no admin's, even if the trigger's clock is 5 s behind", async () => {
  const sub = "11111111-1111-4111-8111-111111111111";
  const now = new Date("2026-11-02T09:00:00.500Z");
  await invite(test.table, sub, now);
  const input = { isNewSession: true, now: () => now, hasApp: async () => true, endSessions: async () => {} };
  expect(await appSeenAt(test.table, sub, input)).toBeUndefined();
  const admin_since = await appSeenAt(test.table, sub, input);
  expect(admin_since).toBeDefined();

  const groupsAt = (time: string) =>
    claimsOf({ "cognito:groups": ["admin"], admin_since, auth_time: Date.parse(time) / 1000 }).groups;
  expect(groupsAt("2026-11-02T09:00:05Z")).toEqual([]);
  expect(groupsAt("2026-11-02T09:00:12Z")).toEqual(["admin"]);
});

describe("an admin whose authenticator app cannot be looked up", () => {
  const fail = async () => {
    throw new Error("TooManyRequestsException");
  };
  const working = { hasTotp: async () => true, isGone: async () => false, endSessions: async () => {} };
  const failing = { hasTotp: fail, isGone: fail, endSessions: fail };

  /** The claims that the trigger gives at a time, as the API reads them from a session that began at `authTime`. */
  async function groupsOf(sub: string, source: "Authentication" | "RefreshTokens", at: string, pool = working) {
    const request = {
      userAttributes: { sub, email: "", email_verified: "false" },
      groupConfiguration: { groupsToOverride: ["admin", "editor"] },
    };
    const event = { userPoolId: "pool", userName: "ada", triggerSource: `TokenGeneration_${source}`, request };
    const answered = event as unknown as PreTokenGenerationV2TriggerEvent;
    Object.assign(process.env, { TABLE_NAME: test.name, USER_POOL_ID: "pool" });
    const { addClaims } = await import("../../../functions/triggers/pre-token-generation.ts");
    await addClaims(answered, { table: test.table, pool, now: () => new Date(at) } as never);
    const { claimsAndScopeOverrideDetails: details } = answered.response;
    return (authTime: string) =>
      claimsOf({
        "cognito:groups": details?.groupOverrideDetails?.groupsToOverride ?? [],
        admin_since: details?.accessTokenGeneration?.claimsToAddOrOverride?.admin_since,
        auth_time: Date.parse(authTime) / 1000,
      }).groups;
  }

  /** An account whose authenticator app was seen at nine o'clock. */
  async function anAdmin(): Promise<string> {
    const sub = randomUUID();
    await invite(test.table, sub, new Date("2026-11-02T08:59:00Z"));
    await groupsOf(sub, "Authentication", "2026-11-02T09:00:00Z");
    const groups = await groupsOf(sub, "Authentication", "2026-11-02T09:30:00Z");
    expect(groups("2026-11-02T09:30:00Z")).toEqual(["admin", "editor"]);
    return sub;
  }

  it("signs in without the group, which the session does not get later either, as it may have begun without the app", async () => {
    const sub = await anAdmin();
    const signedIn = await groupsOf(sub, "Authentication", "2026-11-02T10:00:00Z", failing);
    expect(signedIn("2026-11-02T10:00:00Z")).toEqual(["editor"]);
    const refreshed = await groupsOf(sub, "RefreshTokens", "2026-11-02T11:00:00Z");
    expect(refreshed("2026-11-02T10:00:00Z")).toEqual(["editor"]);
    const again = await groupsOf(sub, "Authentication", "2026-11-02T11:30:00Z");
    expect(again("2026-11-02T11:30:00Z")).toEqual(["admin", "editor"]);
  });

  it("gets no group with a new token of an earlier session, which has the group again afterwards", async () => {
    const sub = await anAdmin();
    const without = await groupsOf(sub, "RefreshTokens", "2026-11-02T10:00:00Z", failing);
    expect(without("2026-11-02T09:30:00Z")).toEqual(["editor"]);
    const refreshed = await groupsOf(sub, "RefreshTokens", "2026-11-02T10:01:00Z");
    expect(refreshed("2026-11-02T09:30:00Z")).toEqual(["admin", "editor"]);
  });

  it("signs in without the group if the sessions from before the app cannot be ended", async () => {
    const sub = randomUUID();
    await invite(test.table, sub, new Date("2026-11-02T08:59:00Z"));
    for (const at of ["2026-11-02T09:00:00Z", "2026-11-02T09:01:00Z"])
      expect((await groupsOf(sub, "Authentication", at, { ...working, endSessions: fail }))(at)).toEqual(["editor"]);
  });

  it("is refused if the table cannot store that the session does not count", async () => {
    const sub = await anAdmin();
    test.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const { Key } = args.input as { readonly Key?: { readonly sk?: string } };
          if (commandName === "UpdateItemCommand" && Key?.sk === "ADMIN") throw new Error("The table is gone");
          return next(args);
        },
      { step: "initialize", name: "broken" },
    );
    try {
      const signingIn = groupsOf(sub, "Authentication", "2026-11-02T10:00:00Z", {
        ...working,
        hasTotp: async () => false,
      });
      await expect(signingIn).rejects.toThrow("The table is gone");
    } finally {
      test.client.middlewareStack.remove("broken");
    }
  });
});
