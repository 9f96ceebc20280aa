import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Cognito, startCognito } from "../../../tools/local/cognito.ts";
import { askCognito } from "../../support/cognito.ts";

const pool = { poolId: "eu-central-1_Test", clientId: "test1client", region: "eu-central-1" };
const issuer = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Test";
const anna = {
  username: "anna",
  password: "Secret-1",
  email: "anna@example.com",
  given_name: "Anna",
  family_name: "Lena",
  groups: ["editor"],
};

const open: Cognito[] = [];
let cognito: Cognito;
const preTokenGeneration = vi.fn<(event: object) => Promise<unknown>>();

async function start(options: Partial<Parameters<typeof startCognito>[0]> = {}): Promise<Cognito> {
  const started = await startCognito({ ...pool, preTokenGeneration, ...options });
  open.push(started);
  return started;
}

beforeEach(async () => {
  preTokenGeneration.mockReset().mockImplementation(async (event) => event);
  cognito = await start();
  await cognito.addUser(anna);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
  vi.unstubAllEnvs();
});

const ask = (operation: string, input: unknown, at = cognito) => askCognito(at, operation, input);

const credentials = { USERNAME: anna.username, PASSWORD: anna.password };
const initiateAuth = (AuthFlow: string, AuthParameters: object, at = cognito) =>
  ask("InitiateAuth", { AuthFlow, ClientId: pool.clientId, AuthParameters }, at);

const Result = v.object({
  AuthenticationResult: v.object({
    AccessToken: v.string(),
    IdToken: v.string(),
    RefreshToken: v.optional(v.string(), ""),
    ExpiresIn: v.literal(3600),
    TokenType: v.literal("Bearer"),
  }),
  ChallengeParameters: v.object({}),
});
const tokensOf = ({ body }: { body: unknown }) => v.parse(Result, body).AuthenticationResult;
const signIn = async (at = cognito) => tokensOf(await initiateAuth("USER_PASSWORD_AUTH", credentials, at));
const refresh = (RefreshToken: string) => initiateAuth("REFRESH_TOKEN_AUTH", { REFRESH_TOKEN: RefreshToken });

const refusal = (type: string, message: unknown): unknown =>
  expect.objectContaining({ status: 400, body: { __type: type, message } });

describe("signing in", () => {
  test("signing in returns an access token with Cognito's claims", async () => {
    const { AccessToken } = await signIn();
    const { sub, iat = 0, ...claims } = decodeJwt(AccessToken);
    expect(decodeProtectedHeader(AccessToken)).toEqual({ alg: "RS256", kid: cognito.jwks.keys[0]?.kid });
    expect(claims).toEqual({
      iss: issuer,
      client_id: pool.clientId,
      token_use: "access",
      scope: "aws.cognito.signin.user.admin",
      username: "anna",
      "cognito:groups": ["editor"],
      origin_jti: expect.any(String),
      event_id: expect.any(String),
      jti: expect.any(String),
      auth_time: iat,
      exp: iat + 3600,
    });
    expect(sub).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("signing in returns an ID token with the person's attributes", async () => {
    const { AccessToken, IdToken } = await signIn();
    const { sub, origin_jti, event_id, auth_time } = decodeJwt(AccessToken);
    expect(decodeJwt(IdToken)).toEqual({
      iss: issuer,
      aud: pool.clientId,
      token_use: "id",
      "cognito:username": "anna",
      "cognito:groups": ["editor"],
      email: "anna@example.com",
      email_verified: true,
      given_name: "Anna",
      family_name: "Lena",
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
      sub,
      origin_jti,
      event_id,
      auth_time,
    });
  });

  test("signing in accepts the email address as the username", async () => {
    const tokens = tokensOf(await initiateAuth("USER_PASSWORD_AUTH", { ...credentials, USERNAME: anna.email }));
    expect(decodeJwt(tokens.AccessToken).username).toBe("anna");
  });

  test.each([
    { mistake: "a wrong password", parameters: { ...credentials, PASSWORD: "Secret-2" } },
    { mistake: "a user that does not exist", parameters: { ...credentials, USERNAME: "otto" } },
  ])("signing in with $mistake is refused with the same error", async ({ parameters }) => {
    const answer = await initiateAuth("USER_PASSWORD_AUTH", parameters);
    expect(answer).toEqual(refusal("NotAuthorizedException", "Incorrect username or password."));
    expect(answer.headers.get("x-amzn-errortype")).toBe("NotAuthorizedException:");
    expect(answer.headers.get("content-type")).toBe("application/x-amz-json-1.1");
  });

  test.each([
    {
      mistake: "without a password",
      flow: "USER_PASSWORD_AUTH",
      parameters: { USERNAME: "anna" },
      missing: "PASSWORD",
    },
    { mistake: "without a name", flow: "USER_PASSWORD_AUTH", parameters: { PASSWORD: "x" }, missing: "USERNAME" },
    { mistake: "without a token", flow: "REFRESH_TOKEN_AUTH", parameters: {}, missing: "REFRESH_TOKEN" },
  ])("signing in $mistake is refused", async ({ flow, parameters, missing }) => {
    expect(await initiateAuth(flow, parameters)).toEqual(
      refusal("InvalidParameterException", `Missing required parameter ${missing}`),
    );
  });

  test("another app client, another flow and a malformed request are refused", async () => {
    const other = { AuthFlow: "USER_PASSWORD_AUTH", ClientId: "other", AuthParameters: credentials };
    expect(await ask("InitiateAuth", other)).toEqual(
      refusal("ResourceNotFoundException", "User pool client other does not exist."),
    );
    expect(await initiateAuth("CUSTOM_AUTH", {})).toEqual(
      refusal("InvalidParameterException", "CUSTOM_AUTH flow not enabled for this client"),
    );
    expect(await ask("InitiateAuth", {})).toEqual(refusal("InvalidParameterException", expect.any(String)));
    expect(await ask("InitiateAuth", "{")).toEqual(refusal("SerializationException", expect.any(String)));
    expect(await ask("toString", {})).toEqual(refusal("UnknownOperationException", expect.any(String)));
  });
});

describe("a refresh token", () => {
  test("a refresh token returns new tokens of the same sign-in with the current groups", async () => {
    const first = await signIn();
    const sub = decodeJwt(first.AccessToken).sub;
    await cognito.addUser({ ...anna, groups: [] });
    const second = tokensOf(await refresh(first.RefreshToken));

    const [before, after] = [decodeJwt(first.AccessToken), decodeJwt(second.AccessToken)];
    expect(after).toMatchObject({ sub, origin_jti: before.origin_jti, auth_time: before.auth_time });
    expect(after.jti).not.toBe(before.jti);
    expect(after).not.toHaveProperty("cognito:groups");
    expect(second.RefreshToken).toBe("");
  });

  test("an unknown refresh token is refused", async () => {
    expect(await refresh("made up")).toEqual(refusal("NotAuthorizedException", "Invalid Refresh Token"));
  });

  test("a revoked refresh token is refused, and the user's others stay valid", async () => {
    const [one, other] = [await signIn(), await signIn()];
    const revoking = await ask("RevokeToken", { Token: one.RefreshToken, ClientId: pool.clientId });
    expect(revoking).toMatchObject({ status: 200, body: {} });
    expect(await refresh(one.RefreshToken)).toEqual(
      refusal("NotAuthorizedException", "Refresh Token has been revoked"),
    );
    expect(await refresh(other.RefreshToken)).toMatchObject({ status: 200 });
  });

  test("only refresh tokens can be revoked, and only by their client", async () => {
    const { AccessToken, RefreshToken } = await signIn();
    expect(await ask("RevokeToken", { Token: AccessToken, ClientId: pool.clientId })).toEqual(
      refusal("UnsupportedTokenTypeException", expect.any(String)),
    );
    expect(await ask("RevokeToken", { Token: RefreshToken, ClientId: "other" })).toEqual(
      refusal("ResourceNotFoundException", expect.any(String)),
    );
  });
});

describe("signing out everywhere", () => {
  test("signing out everywhere ends every sign-in of the user and of no other", async () => {
    await cognito.addUser({ ...anna, username: "otto", email: "otto@example.com" });
    const [one, other] = [await signIn(), await signIn()];
    const otto = tokensOf(await initiateAuth("USER_PASSWORD_AUTH", { ...credentials, USERNAME: "otto" }));

    expect(await ask("GlobalSignOut", { AccessToken: one.AccessToken })).toMatchObject({ status: 200, body: {} });
    for (const { RefreshToken } of [one, other])
      expect(await refresh(RefreshToken)).toEqual(refusal("NotAuthorizedException", "Refresh Token has been revoked"));
    expect(await ask("GlobalSignOut", { AccessToken: other.AccessToken })).toEqual(
      refusal("NotAuthorizedException", "Access Token has been revoked"),
    );
    expect(await refresh(otto.RefreshToken)).toMatchObject({ status: 200 });
  });

  test("signing out everywhere requires a valid access token", async () => {
    const stranger = await start();
    await stranger.addUser(anna);
    const [{ IdToken }, foreign] = [await signIn(), await signIn(stranger)];
    for (const AccessToken of [IdToken, foreign.AccessToken, "x"])
      expect(await ask("GlobalSignOut", { AccessToken })).toEqual(
        refusal("NotAuthorizedException", "Invalid Access Token"),
      );
  });
});

describe("the pre-token-generation trigger", () => {
  test("the pre-token-generation trigger receives an event of version 2", async () => {
    const { sub } = await cognito.addUser({ ...anna, sub: "a1b2c3d4-0000-4000-8000-000000000000" });
    const { RefreshToken } = await signIn();
    const event = {
      version: "2",
      triggerSource: "TokenGeneration_Authentication",
      region: "eu-central-1",
      userPoolId: pool.poolId,
      userName: "anna",
      callerContext: { awsSdkVersion: "aws-sdk-unknown-unknown", clientId: pool.clientId },
      request: {
        userAttributes: {
          sub,
          "cognito:user_status": "CONFIRMED",
          email_verified: "true",
          email: "anna@example.com",
          given_name: "Anna",
          family_name: "Lena",
        },
        groupConfiguration: { groupsToOverride: ["editor"], iamRolesToOverride: [], preferredRole: null },
        scopes: ["aws.cognito.signin.user.admin"],
      },
      response: { claimsAndScopeOverrideDetails: null },
    };
    expect(preTokenGeneration).toHaveBeenLastCalledWith(event);

    await refresh(RefreshToken);
    expect(preTokenGeneration).toHaveBeenLastCalledWith({ ...event, triggerSource: "TokenGeneration_RefreshTokens" });
  });

  test("the pre-token-generation trigger changes the tokens", async () => {
    preTokenGeneration.mockImplementation(async (event) => ({
      ...event,
      response: {
        claimsAndScopeOverrideDetails: {
          accessTokenGeneration: { claimsToAddOrOverride: { user_id: 7 } },
          groupOverrideDetails: { groupsToOverride: ["admin"], iamRolesToOverride: [], preferredRole: null },
        },
      },
    }));
    const { AccessToken, IdToken } = await signIn();
    expect(decodeJwt(AccessToken)).toMatchObject({ user_id: 7, "cognito:groups": ["admin"] });
    expect(decodeJwt(IdToken)).toMatchObject({ "cognito:groups": ["admin"] });
    expect(decodeJwt(IdToken)).not.toHaveProperty("user_id");
  });

  test("a user gets no tokens if the pre-token-generation trigger fails or returns something else", async () => {
    preTokenGeneration.mockRejectedValueOnce(new Error("no profile"));
    expect(await initiateAuth("USER_PASSWORD_AUTH", credentials)).toEqual(
      refusal("UserLambdaValidationException", "PreTokenGeneration failed with error no profile."),
    );
    preTokenGeneration.mockResolvedValueOnce("ok");
    expect(await initiateAuth("USER_PASSWORD_AUTH", credentials)).toEqual(
      refusal("InvalidLambdaResponseException", "Unrecognizable lambda output"),
    );
  });
});

test("the pool publishes its keys and its configuration", async () => {
  const published = async (file: string) => (await fetch(`${cognito.url}/${pool.poolId}/.well-known/${file}`)).json();
  expect(await published("jwks.json")).toEqual(cognito.jwks);
  expect(await published("openid-configuration")).toMatchObject({
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
  });
  expect(Object.keys(cognito.jwks.keys[0] ?? {})).toEqual(["kty", "n", "e", "kid", "alg", "use"]);

  const { AccessToken } = await signIn();
  await expect(jwtVerify(AccessToken, createLocalJWKSet({ keys: [...cognito.jwks.keys] }))).resolves.toBeDefined();
  expect((await fetch(`${cognito.url}/eu-central-1_Other/.well-known/jwks.json`)).status).toBe(404);
});

test("the stand-in does not run inside AWS Lambda", async () => {
  vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "f");
  await expect(start()).rejects.toThrow("does not run inside AWS Lambda");
});
