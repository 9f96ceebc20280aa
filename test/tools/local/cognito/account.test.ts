import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSignIn } from "../../../../client/odis.ts";
import { totp } from "../../../../tools/local/cognito/totp.ts";
import { type Cognito, startCognito } from "../../../../tools/local/cognito.ts";
import { askCognito } from "../../../support/cognito.ts";

const pool = { poolId: "eu-central-1_Test", clientId: "test1client", region: "eu-central-1" };
const anna = { username: "anna", email: "anna@example.com", password: "Annas-password-1" };
const email = "new@example.com";
const password = "New-password-1";
const code = "000000";

let cognito: Cognito;
const postConfirmation = vi.fn<(event: object) => Promise<unknown>>();
beforeEach(async () => {
  postConfirmation.mockReset().mockResolvedValue({});
  cognito = await startCognito({ ...pool, preTokenGeneration: async (event) => event, postConfirmation });
  await cognito.addUser(anna);
});
afterEach(() => cognito.close());

const ask = (operation: string, input: object = {}) =>
  askCognito(cognito, operation, { ClientId: pool.clientId, UserPoolId: pool.poolId, ...input });

/** The name of the exception that a call throws, or "done". */
const outcome = async (operation: string, input?: object) => {
  const { status, body } = await ask(operation, input);
  const { __type: type } = body;
  return status === 200 ? "done" : type;
};

const signUp = () => ask("SignUp", { Username: email, Password: password });
const confirm = () => ask("ConfirmSignUp", { Username: email, ConfirmationCode: code });

async function signedIn(name = anna.email, secret = anna.password): Promise<{ AccessToken: string }> {
  const signIn = createSignIn({ userPoolId: pool.poolId, clientId: pool.clientId, endpoint: cognito.url });
  const step = await signIn.signIn(name, secret);
  if (step.status !== "signed_in") throw new Error(step.status);
  return { AccessToken: step.session.accessToken };
}

const attributesOf = async (token: { AccessToken: string }) => {
  const { UserAttributes } = (await ask("GetUser", token)).body as {
    UserAttributes: { Name: string; Value: string }[];
  };
  return Object.fromEntries(UserAttributes.map(({ Name, Value }) => [Name, Value]));
};

describe("signing up", () => {
  it("signing up creates an account that can sign in once its code is confirmed", async () => {
    const UserAttributes = [{ Name: "given_name", Value: "Nora" }];
    expect((await ask("SignUp", { Username: email, Password: password, UserAttributes })).body).toEqual({
      UserConfirmed: false,
      UserSub: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      CodeDeliveryDetails: { AttributeName: "email", DeliveryMedium: "EMAIL", Destination: "n***@e***" },
    });
    await expect(signedIn(email, password)).rejects.toMatchObject({ code: "UserNotConfirmedException" });
    expect((await confirm()).status).toBe(200);
    expect(postConfirmation.mock.lastCall).toMatchObject([{ triggerSource: "PostConfirmation_ConfirmSignUp" }]);
    expect(await attributesOf(await signedIn(email, password))).toEqual({
      sub: expect.any(String) as string,
      email,
      email_verified: "true",
      given_name: "Nora",
    });
  });

  it.each([
    ["a password that is too short", { Password: "Short-pass1" }, "InvalidPasswordException"],
    ["a password without a digit", { Password: "New-password-x" }, "InvalidPasswordException"],
    ["a name that is no email address", { Username: "nora" }, "InvalidParameterException"],
    ["an address in use, in another case", { Username: "ANNA@example.com" }, "UsernameExistsException"],
    [
      "an attribute that people may not write",
      { UserAttributes: [{ Name: "phone_number", Value: "+1" }] },
      "NotAuthorizedException",
    ],
    ["another app client", { ClientId: "other" }, "ResourceNotFoundException"],
  ])("signing up with %s is refused", async (_, input, expected) => {
    expect(await outcome("SignUp", { Username: email, Password: password, ...input })).toBe(expected);
  });

  it("a code is resent until the account is confirmed, and the response for an unknown user is the same", async () => {
    await signUp();
    expect(await outcome("ResendConfirmationCode", { Username: email })).toBe("done");
    expect(await outcome("ResendConfirmationCode", { Username: "nobody@example.com" })).toBe("done");
    await confirm();
    expect(await outcome("ResendConfirmationCode", { Username: email })).toBe("InvalidParameterException");
    expect(await outcome("ConfirmSignUp", { Username: email, ConfirmationCode: code })).toBe("NotAuthorizedException");
  });

  it.each([email, "nobody@example.com"])("a wrong code for %s has the same refusal", async (Username) => {
    await signUp();
    expect(await outcome("ConfirmSignUp", { Username, ConfirmationCode: "111111" })).toBe("CodeMismatchException");
  });
});

describe("a forgotten password", () => {
  const reset = (input: object = {}) =>
    outcome("ConfirmForgotPassword", { Username: anna.email, ConfirmationCode: code, Password: password, ...input });

  it("a forgotten password is replaced with a code that is sent by email and works once", async () => {
    expect(await reset()).toBe("ExpiredCodeException");
    expect(await outcome("ForgotPassword", { Username: anna.email })).toBe("done");
    expect(await reset({ Password: "short" })).toBe("InvalidPasswordException");
    expect(await reset({ ConfirmationCode: "1" })).toBe("CodeMismatchException");
    expect(await reset()).toBe("done");
    await signedIn(anna.email, password);
    await expect(signedIn()).rejects.toMatchObject({ code: "NotAuthorizedException" });
    expect(await reset()).toBe("ExpiredCodeException");
  });

  it("the responses to a forgotten password are the same for an unknown user", async () => {
    expect(await outcome("ForgotPassword", { Username: "nobody@example.com" })).toBe("done");
    expect(await reset({ Username: "nobody@example.com" })).toBe("CodeMismatchException");
  });

  it("a forgotten password cannot be replaced before the address is verified or while a temporary password is valid", async () => {
    await signUp();
    expect(await outcome("ForgotPassword", { Username: email })).toBe("InvalidParameterException");
    await cognito.addUser({ username: "ina", email: "ina@example.com", password, status: "FORCE_CHANGE_PASSWORD" });
    expect(await outcome("ForgotPassword", { Username: "ina@example.com" })).toBe("NotAuthorizedException");
  });
});

describe("somebody who is signed in", () => {
  it("a signed-in user changes their password", async () => {
    const token = await signedIn();
    const change = (input: object) => outcome("ChangePassword", { ...token, ProposedPassword: password, ...input });
    expect(await change({})).toBe("InvalidParameterException");
    expect(await change({ PreviousPassword: "x" })).toBe("NotAuthorizedException");
    expect(await change({ PreviousPassword: anna.password, ProposedPassword: "x" })).toBe("InvalidPasswordException");
    expect(await change({ PreviousPassword: anna.password })).toBe("done");
    await signedIn(anna.email, password);
  });

  it("a signed-in user changes their names immediately, and their email address once it is verified", async () => {
    const token = await signedIn();
    const { body } = await ask("UpdateUserAttributes", {
      ...token,
      UserAttributes: [
        { Name: "email", Value: email },
        { Name: "given_name", Value: "Anna" },
      ],
    });
    expect(body).toEqual({
      CodeDeliveryDetailsList: [{ AttributeName: "email", DeliveryMedium: "EMAIL", Destination: "n***@e***" }],
    });
    expect(await attributesOf(token)).toMatchObject({ given_name: "Anna", email: anna.email, email_verified: "true" });
    const verify = (Code: string) => outcome("VerifyUserAttribute", { ...token, AttributeName: "email", Code });
    expect(await verify("1")).toBe("CodeMismatchException");
    expect(await outcome("GetUserAttributeVerificationCode", { ...token, AttributeName: "email" })).toBe("done");
    expect(await verify(code)).toBe("done");
    expect(await attributesOf(token)).toMatchObject({ email, email_verified: "true" });
    await signedIn(email);
    await expect(signedIn(anna.email)).rejects.toMatchObject({ code: "NotAuthorizedException" });
  });

  it.each([
    [{ Name: "email", Value: "OTTO@example.com" }, "AliasExistsException"],
    [{ Name: "email_verified", Value: "true" }, "NotAuthorizedException"],
    [{ Name: "phone_number", Value: "+1" }, "NotAuthorizedException"],
  ])("a signed-in user cannot write %j", async (attribute, expected) => {
    await cognito.addUser({ username: "otto", email: "otto@example.com", password });
    const token = await signedIn();
    expect(await outcome("UpdateUserAttributes", { ...token, UserAttributes: [attribute] })).toBe(expected);
  });

  it("a signed-in user enables an authenticator app by verifying a code, and disables it", async () => {
    const token = await signedIn();
    const prefer = (Enabled: boolean) =>
      outcome("SetUserMFAPreference", { ...token, SoftwareTokenMfaSettings: { Enabled, PreferredMfa: Enabled } });
    const SoftwareTokenMfaSettings = { Enabled: true, PreferredMfa: true };
    const preferAsAdmin = () =>
      outcome("AdminSetUserMFAPreference", { Username: anna.username, SoftwareTokenMfaSettings });
    const verify = (UserCode: string) => outcome("VerifySoftwareToken", { ...token, UserCode });
    expect(await verify("123456")).toBe("EnableSoftwareTokenMFAException");
    expect([await prefer(true), await preferAsAdmin()]).toEqual(Array(2).fill("InvalidParameterException"));
    const { SecretCode } = (await ask("AssociateSoftwareToken", token)).body;
    expect(await verify(totp(String(SecretCode), Date.now() - 300_000))).toBe("EnableSoftwareTokenMFAException");
    expect(await prefer(true)).toBe("InvalidParameterException");
    expect(await verify(totp(String(SecretCode), Date.now()))).toBe("done");
    await signedIn();
    expect(await prefer(true)).toBe("done");
    expect((await ask("GetUser", token)).body).toMatchObject({ UserMFASettingList: ["SOFTWARE_TOKEN_MFA"] });
    await expect(signedIn()).rejects.toThrow("totp_required");
    expect(await prefer(false)).toBe("done");
    await signedIn();
  });

  it.each(["GetUser", "AssociateSoftwareToken", "ChangePassword", "UpdateUserAttributes", "SetUserMFAPreference"])(
    "%s requires a valid access token",
    async (operation) => {
      const input = { ProposedPassword: password, UserAttributes: [] };
      const token = await signedIn();
      const { sub } = await cognito.addUser({ ...anna, username: "ended" });
      const AccessToken = await cognito.sign({ sub, username: "ended", expiresIn: -60 });
      expect((await ask(operation, { ...input, AccessToken })).body.message).toBe("Access Token has expired");
      await ask("GlobalSignOut", token);
      expect((await ask(operation, { ...input, ...token })).body.message).toBe("Access Token has been revoked");
      expect(await outcome(operation, { ...input, AccessToken: "x" })).toBe("NotAuthorizedException");
      expect(await outcome(operation, { ...input, Session: "x" })).not.toBe("done");
    },
  );
});

describe("RespondToAuthChallenge", () => {
  const proof = {
    USERNAME: "anna",
    TIMESTAMP: "Sun Nov 1 09:05:00 UTC 2026",
    PASSWORD_CLAIM_SIGNATURE: "AAAA",
    PASSWORD_CLAIM_SECRET_BLOCK: "AAAA",
  };
  it.each([
    ["PASSWORD_VERIFIER", { ...proof, USERNAME: "" }, "InvalidParameterException"],
    ["PASSWORD_VERIFIER", { ...proof, TIMESTAMP: "2026-11-01" }, "InvalidParameterException"],
    ["PASSWORD_VERIFIER", proof, "NotAuthorizedException"],
    ["NEW_PASSWORD_REQUIRED", { USERNAME: "anna", NEW_PASSWORD: password }, "NotAuthorizedException"],
    ["SOFTWARE_TOKEN_MFA", { USERNAME: "anna", SOFTWARE_TOKEN_MFA_CODE: "1" }, "NotAuthorizedException"],
    ["MFA_SETUP", { USERNAME: "anna" }, "NotAuthorizedException"],
    ["SMS_MFA", { USERNAME: "anna" }, "InvalidParameterException"],
  ])(
    "RespondToAuthChallenge refuses %s with %j without a challenge",
    async (ChallengeName, ChallengeResponses, expected) => {
      expect(await outcome("RespondToAuthChallenge", { ChallengeName, ChallengeResponses, Session: "x" })).toBe(
        expected,
      );
    },
  );

  it("RespondToAuthChallenge refuses a challenge name that no header can contain", async () => {
    expect(await outcome("RespondToAuthChallenge", { ChallengeName: "\u0100\n" })).toBe("InvalidParameterException");
  });

  it("RespondToAuthChallenge refuses the session of another challenge and of another user", async () => {
    const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    await cognito.addUser({ username: "otto", email: "otto@example.com", password, totp_secret: secret });
    const AuthParameters = { USERNAME: "otto", PASSWORD: password };
    const { body } = await ask("InitiateAuth", { AuthFlow: "USER_PASSWORD_AUTH", AuthParameters });
    const respond = (ChallengeName: string, ChallengeResponses: object) =>
      outcome("RespondToAuthChallenge", { ChallengeName, ChallengeResponses, Session: body.Session });
    const SOFTWARE_TOKEN_MFA_CODE = totp(secret, Date.now());
    expect(await respond("NEW_PASSWORD_REQUIRED", { USERNAME: "otto", NEW_PASSWORD: password })).toBe(
      "NotAuthorizedException",
    );
    expect(await respond("SOFTWARE_TOKEN_MFA", { USERNAME: "anna", SOFTWARE_TOKEN_MFA_CODE })).toBe(
      "NotAuthorizedException",
    );
    expect(await respond("SOFTWARE_TOKEN_MFA", { USERNAME: "otto", SOFTWARE_TOKEN_MFA_CODE })).toBe("done");
    expect(await respond("SOFTWARE_TOKEN_MFA", { USERNAME: "otto", SOFTWARE_TOKEN_MFA_CODE })).toBe(
      "NotAuthorizedException",
    );
  });
});

// Test vectors of RFC 6238, appendix B, shortened from eight to six digits.
it.each([
  [59, "287082"],
  [1_111_111_109, "081804"],
  [20_000_000_000, "353130"],
])("the authenticator code at %i seconds is %s", (seconds, expected) => {
  expect(totp("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", seconds * 1000)).toBe(expected);
});

describe("a page in a browser", () => {
  const preflight = async (origin: string) => {
    const headers = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,x-amz-target,x-amz-user-agent,cache-control",
    };
    const { status, headers: answered } = await fetch(cognito.url, { method: "OPTIONS", headers });
    return { status, origin: answered.get("access-control-allow-origin"), allowed: answered };
  };

  it("a page of this machine may call the pool", async () => {
    const { status, origin, allowed } = await preflight("http://localhost:5173");
    expect({ status, origin }).toEqual({ status: 204, origin: "http://localhost:5173" });
    for (const name of ["content-type", "x-amz-target", "x-amz-user-agent", "cache-control"])
      expect(allowed.get("access-control-allow-headers")?.split(",")).toContain(name);
    const refused = await fetch(cognito.url, { method: "POST", headers: { origin: "http://localhost:5173" } });
    expect(refused.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
    expect(refused.headers.get("access-control-expose-headers")).toContain("x-amzn-errortype");
  });

  it("a page of another origin may not call the pool", async () => {
    expect((await preflight("https://evil.example")).origin).toBeNull();
    expect((await preflight("http://localhost.evil.example")).origin).toBeNull();
    expect((await preflight("http://localhost:5173.elsewhere.example")).origin).toBeNull();
    expect((await preflight("http://127.0.0.1:5173.elsewhere.example")).origin).toBeNull();
  });
});
