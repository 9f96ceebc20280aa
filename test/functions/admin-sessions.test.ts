import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { list } from "#lib/contract/communities.ts";
import { invite } from "#lib/store/admin-access.ts";
import { keys } from "#lib/store/keys.ts";
import { totp } from "../../tools/local/cognito/totp.ts";
import { password } from "../../tools/local/users.ts";
import { pathOf, startApi } from "../support/api.ts";
import { askCognito } from "../support/cognito.ts";

const api = startApi();

const start = Date.parse("2026-11-02T09:00:00.500Z");
const week = 7 * 24 * 60 * 60 * 1000;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
});
afterEach(() => {
  vi.useRealTimers();
});
const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

const Tokens = v.object({
  AuthenticationResult: v.object({ AccessToken: v.string(), RefreshToken: v.optional(v.string()) }),
});
type Session = { access: string; readonly refreshToken: string };

let people = 0;
async function anAdmin() {
  const username = `admin${++people}`;
  const { sub } = await api.stack.cognito.addUser({
    username,
    password,
    email: `${username}@example.com`,
    groups: ["admin"],
  });
  return { sub, username };
}

const ask = async (operation: string, input: object) => (await askCognito(api.stack.cognito, operation, input)).body;
const ClientId = () => process.env.CLIENT_ID;

const sessionOf = (answer: unknown): Session => {
  const { AccessToken: access, RefreshToken: refreshToken = "" } = v.parse(Tokens, answer).AuthenticationResult;
  return { access, refreshToken };
};

const signIn = async (USERNAME: string) => {
  const AuthParameters = { USERNAME, PASSWORD: password };
  return ask("InitiateAuth", { AuthFlow: "USER_PASSWORD_AUTH", AuthParameters, ClientId: ClientId() });
};

const withPassword = async (username: string): Promise<Session> => sessionOf(await signIn(username));

async function withCode(username: string, secret: string): Promise<Session> {
  const { ChallengeName, Session } = v.parse(
    v.object({ ChallengeName: v.string(), Session: v.string() }),
    await signIn(username),
  );
  const ChallengeResponses = { USERNAME: username, SOFTWARE_TOKEN_MFA_CODE: totp(secret, Date.now()) };
  return sessionOf(
    await ask("RespondToAuthChallenge", { ChallengeName, ChallengeResponses, Session, ClientId: ClientId() }),
  );
}

const refresh = (refreshToken: string) => {
  const AuthParameters = { REFRESH_TOKEN: refreshToken };
  return ask("InitiateAuth", { AuthFlow: "REFRESH_TOKEN_AUTH", AuthParameters, ClientId: ClientId() });
};

/** Sets up an authenticator app and returns its secret. */
async function setUpApp({ access: AccessToken }: Session): Promise<string> {
  const { SecretCode } = v.parse(
    v.object({ SecretCode: v.string() }),
    await ask("AssociateSoftwareToken", { AccessToken }),
  );
  await ask("VerifySoftwareToken", { AccessToken, UserCode: totp(SecretCode, Date.now()) });
  const SoftwareTokenMfaSettings = { Enabled: true, PreferredMfa: true };
  await ask("SetUserMFAPreference", { AccessToken, SoftwareTokenMfaSettings });
  return SecretCode;
}

/** The status of a request that only an admin may send. */
async function adminRequest({ access }: Pick<Session, "access">): Promise<number> {
  return (await api.send(pathOf(list, {}), { headers: { authorization: `Bearer ${access}` } })).status;
}

describe("the group admin requires a session that used the authenticator app", () => {
  it("a session that began with only the password never gets admin rights, and ends when the app is set up", async () => {
    const { sub, username } = await anAdmin();
    await invite(api.table, sub, new Date());
    const stolen = await withPassword(username);
    const own = await withPassword(username);
    pass(60_000);
    const secret = await setUpApp(own);

    expect(await adminRequest(stolen)).toBe(403);
    const refreshed = await refresh(stolen.refreshToken);
    if (v.is(Tokens, refreshed)) expect(await adminRequest(sessionOf(refreshed))).toBe(403);
    expect(await refresh(stolen.refreshToken)).toMatchObject({ __type: "NotAuthorizedException" });
    expect(await refresh(own.refreshToken)).toMatchObject({ __type: "NotAuthorizedException" });

    pass(60_000);
    const later = await withCode(username, secret);
    expect(await adminRequest(later)).toBe(200);
    expect(await adminRequest(sessionOf(await refresh(later.refreshToken)))).toBe(200);
  });

  it("the sign-in at which the app is first seen does not have the group admin, and the next sign-in does", async () => {
    const { sub, username } = await anAdmin();
    await invite(api.table, sub, new Date());
    const secret = await setUpApp(await withPassword(username));
    pass(60_000);
    expect(await adminRequest(await withCode(username, secret))).toBe(403);
    pass(60_000);
    expect(await adminRequest(await withCode(username, secret))).toBe(200);
  });

  it("an app that was set up without an open invitation gives no admin rights, whoever set it up", async () => {
    const { sub, username } = await anAdmin();
    await invite(api.table, sub, new Date(start - week));
    const secret = await setUpApp(await withPassword(username));
    for (const _ of [1, 2]) {
      pass(60_000);
      expect(await adminRequest(await withCode(username, secret))).toBe(403);
    }
  });

  it("admin rights remain after the invitation has expired", async () => {
    const { sub, username } = await anAdmin();
    await invite(api.table, sub, new Date());
    const session = await withPassword(username);
    const secret = await setUpApp(session);
    await refresh(session.refreshToken);
    pass(2 * week);
    expect(await adminRequest(await withCode(username, secret))).toBe(200);
  });

  it("after the app was turned off, the next app requires an invitation again", async () => {
    const { sub, username } = await anAdmin();
    await invite(api.table, sub, new Date());
    const session = await withPassword(username);
    const lost = await setUpApp(session);
    await refresh(session.refreshToken);
    pass(2 * week);
    const { access: AccessToken } = await withCode(username, lost);
    await ask("SetUserMFAPreference", { AccessToken, SoftwareTokenMfaSettings: { Enabled: false } });
    pass(60_000);
    const next = await withPassword(username);
    expect(await adminRequest(next)).toBe(403);
    const secret = await setUpApp(next);
    for (const _ of [1, 2]) {
      pass(60_000);
      expect(await adminRequest(await withCode(username, secret))).toBe(403);
    }
  });

  it("a token has no admin rights if its sign-in is not later than the app, even if Cognito kept the session", async () => {
    const { sub, username } = await anAdmin();
    const { sign } = api.stack.cognito;
    const seconds = Math.floor(Date.now() / 1000);
    const tokenOf = (claims: Record<string, unknown>) =>
      sign({ sub, username, groups: ["admin"], claims, expiresIn: 60 });
    const statusOf = async (claims: Record<string, unknown>) => adminRequest({ access: await tokenOf(claims) });
    expect(await statusOf({ auth_time: seconds - 1, admin_since: seconds })).toBe(403);
    expect(await statusOf({ auth_time: seconds, admin_since: seconds })).toBe(403);
    expect(await statusOf({ auth_time: seconds })).toBe(403);
    expect(await statusOf({ auth_time: seconds, admin_since: seconds - 1 })).toBe(200);
    expect(await statusOf({ auth_time: seconds, admin_since: String(seconds - 1) })).toBe(200);
  });

  it("if two concurrent token requests both see the app for the first time, neither sign-in fails", async () => {
    const { sub, username } = await anAdmin();
    await invite(api.table, sub, new Date());
    const session = await withPassword(username);
    await setUpApp(session);
    const answers = await Promise.all([refresh(session.refreshToken), refresh(session.refreshToken)]);
    for (const answer of answers) expect(answer).not.toMatchObject({ __type: "UserLambdaValidationException" });
    expect(await api.table.get(keys.adminAccess(sub))).toMatchObject({ app_seen_at: expect.any(Number) as number });
  });
});
