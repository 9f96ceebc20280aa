import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { installTool } from "../../../../tools/build/tool.ts";
import { totp } from "../../../../tools/local/cognito/totp.ts";
import { type Cognito, startCognito } from "../../../../tools/local/cognito.ts";

/**
 * Types of the parts of amazon-cognito-identity-js that this test uses. The package is installed when the test runs.
 */
type Callback<T> = (error: Error | null, result?: T) => void;
type Tokens = { getAccessToken(): { getJwtToken(): string; payload: Record<string, unknown> } };
type UserData = { UserMFASettingList?: string[] };
type Handlers = Record<string, (...given: never[]) => void>;
type User = {
  authenticateUser(details: object, handlers: Handlers): void;
  completeNewPasswordChallenge(password: string, attributes: object, handlers: Handlers): void;
  sendMFACode(code: string, handlers: Handlers, kind: string): void;
  associateSoftwareToken(handlers: Handlers): void;
  verifySoftwareToken(code: string, device: string, handlers: Handlers): void;
  setUserMfaPreference(sms: object | null, totp: object, callback: Callback<string>): void;
  confirmRegistration(code: string, force: boolean, callback: Callback<string>): void;
  resendConfirmationCode(callback: Callback<unknown>): void;
  forgotPassword(handlers: Handlers): void;
  confirmPassword(code: string, password: string, handlers: Handlers): void;
  changePassword(old: string, password: string, callback: Callback<string>): void;
  getUserData(callback: Callback<UserData>, params: object): void;
  globalSignOut(handlers: Handlers): void;
};
type Library = {
  CognitoUserPool: new (
    of: object,
  ) => {
    signUp(name: string, password: string, attributes: object[], more: null, callback: Callback<unknown>): void;
  };
  CognitoUser: new (of: { Username: string; Pool: object }) => User;
  AuthenticationDetails: new (of: { Username: string; Password: string }) => object;
};

const email = "amplify@example.com";
const password = "Amplify-password-1";

let library: Library;
let cognito: Cognito;
let pool: InstanceType<Library["CognitoUserPool"]>;
beforeAll(async () => {
  library = createRequire(join(installTool("cognito-library"), "package.json"))(
    "amazon-cognito-identity-js",
  ) as Library;
  vi.useFakeTimers({ toFake: ["Date"] });
  cognito = await startCognito({
    poolId: "eu-central-1_Test",
    clientId: "test1client",
    region: "eu-central-1",
    preTokenGeneration: async (event) => event,
  });
  pool = new library.CognitoUserPool({
    UserPoolId: "eu-central-1_Test",
    ClientId: "test1client",
    endpoint: cognito.url,
  });
});
afterAll(async () => {
  vi.useRealTimers();
  await cognito.close();
});

/** Calls a function of the library that takes one callback. Returns a promise of the result. */
const called = <T>(call: (callback: Callback<T>) => void) =>
  new Promise<T | undefined>((resolve, reject) =>
    call((error, result) => {
      if (error) reject(error);
      else resolve(result);
    }),
  );

/** Calls a function of the library that takes handlers. Returns the name of the called handler and its arguments. */
const handled = (call: (handlers: Handlers) => void) =>
  new Promise<[name: string, ...given: unknown[]]>((resolve, reject) => {
    const names = ["onSuccess", "newPasswordRequired", "totpRequired", "mfaSetup", "associateSecretCode"];
    const handlers = names.map((name) => [name, (...given: unknown[]) => resolve([name, ...given])] as const);
    call({ ...Object.fromEntries(handlers), onFailure: (error: Error) => reject(error) });
  });

const user = (Username = email) => new library.CognitoUser({ Username, Pool: pool });
const begin = (who: User, Password = password, Username = email) =>
  handled((handlers) => who.authenticateUser(new library.AuthenticationDetails({ Username, Password }), handlers));

describe("amazon-cognito-identity-js", () => {
  it("amazon-cognito-identity-js signs up, confirms, signs in by SRP, sets up an authenticator app, and signs in with its code", async () => {
    await called((callback) => pool.signUp(email, password, [], null, callback));
    await expect(begin(user())).rejects.toMatchObject({ code: "UserNotConfirmedException" });
    await called((callback) => user().resendConfirmationCode(callback));
    const confirm = (given: string) => called<string>((callback) => user().confirmRegistration(given, true, callback));
    await expect(confirm("1")).rejects.toMatchObject({ code: "CodeMismatchException" });
    expect(await confirm("000000")).toBe("SUCCESS");

    const who = user();
    await expect(begin(who, "Wrong-password-1")).rejects.toMatchObject({ code: "NotAuthorizedException" });
    expect((await begin(who))[0]).toBe("onSuccess");

    const [, secret] = await handled((handlers) => who.associateSoftwareToken(handlers));
    const code = () => totp(String(secret), Date.now());
    await handled((handlers) => who.verifySoftwareToken(code(), "phone", handlers));
    const settings = { Enabled: true, PreferredMfa: true };
    expect(await called((callback) => who.setUserMfaPreference(null, settings, callback))).toBe("SUCCESS");
    const data = await called<UserData>((callback) => who.getUserData(callback, { bypassCache: true }));
    expect(data?.UserMFASettingList).toEqual(["SOFTWARE_TOKEN_MFA"]);

    const again = user();
    expect((await begin(again))[0]).toBe("totpRequired");
    const send = () => handled((handlers) => again.sendMFACode(code(), handlers, "SOFTWARE_TOKEN_MFA"));
    await expect(send()).rejects.toMatchObject({ code: "ExpiredCodeException" });
    vi.setSystemTime(Date.now() + 30_000);
    const [, session] = await send();
    expect((session as Tokens).getAccessToken().payload).toMatchObject({ token_use: "access" });
  });

  it("amazon-cognito-identity-js changes a password, replaces a forgotten one, and signs out everywhere", async () => {
    const { email: name } = await cognito.addUser({ username: "cleo", email: "cleo@example.com", password });
    const who = user(name);
    await begin(who, password, name);
    await called((callback) => who.changePassword(password, "Changed-password-1", callback));
    await handled((handlers) => user(name).forgotPassword(handlers));
    await handled((handlers) => user(name).confirmPassword("000000", "Forgotten-password-1", handlers));
    expect((await begin(user(name), "Forgotten-password-1", name))[0]).toBe("onSuccess");
    expect(await handled((handlers) => who.globalSignOut(handlers))).toEqual(["onSuccess", "SUCCESS"]);
  });

  it("amazon-cognito-identity-js replaces a temporary password", async () => {
    const invited = { username: "ina", email: "ina@example.com", password };
    await cognito.addUser({ ...invited, status: "FORCE_CHANGE_PASSWORD" });
    const who = user(invited.email);
    expect((await begin(who, password, invited.email))[0]).toBe("newPasswordRequired");
    const next = "Invited-password-1";
    expect((await handled((handlers) => who.completeNewPasswordChallenge(next, {}, handlers)))[0]).toBe("onSuccess");
    expect((await begin(user(invited.email), next, invited.email))[0]).toBe("onSuccess");
  });
});
