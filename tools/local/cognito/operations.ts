import { randomBytes } from "node:crypto";
import type { JWTPayload } from "jose";
import * as v from "valibot";
import { accessClaims, idClaims, issuerOf, lifetime, newSession, type Pool, type Session } from "./claims.ts";
import type { Signer } from "./keys.ts";
import { type Outcome, refused } from "./outcome.ts";
import { type Overrides, overridden, overridesOf, type TokenEvent, type TokenSource, tokenEvent } from "./trigger.ts";
import type { Directory, User } from "./users.ts";

export type Parts = {
  readonly pool: Pool;
  readonly directory: Directory;
  readonly signer: Signer;
  readonly preTokenGeneration: (event: TokenEvent) => Promise<unknown>;
};

const InitiateAuth = v.object({
  AuthFlow: v.string(),
  ClientId: v.string(),
  AuthParameters: v.optional(v.record(v.string(), v.string()), {}),
});
const RevokeToken = v.object({ Token: v.string(), ClientId: v.string() });
const GlobalSignOut = v.object({ AccessToken: v.string() });
const OfUser = v.object({ UserPoolId: v.string(), Username: v.string() });

/**
 * The operations of a pool that an app calls without AWS credentials, and those that functions call. Refresh tokens live as long as this process.
 *
 * @see https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_Operations.html
 */
export function operations({ pool, directory, signer, preTokenGeneration }: Parts) {
  const sessions = new Map<string, Session>();
  /** The `origin_jti` of the sign-ins that were taken back. */
  const ended = new Set<string>();

  return {
    async InitiateAuth(input: unknown): Promise<Outcome> {
      const { AuthFlow, ClientId, AuthParameters } = v.parse(InitiateAuth, input);
      if (ClientId !== pool.clientId) return unknownClient(ClientId);
      if (AuthFlow === "USER_PASSWORD_AUTH") return signIn(AuthParameters);
      if (AuthFlow === "REFRESH_TOKEN_AUTH" || AuthFlow === "REFRESH_TOKEN") return refresh(AuthParameters);
      return refused("InvalidParameterException", `${AuthFlow} flow not enabled for this client`);
    },

    async RevokeToken(input: unknown): Promise<Outcome> {
      const { Token, ClientId } = v.parse(RevokeToken, input);
      if (ClientId !== pool.clientId) return unknownClient(ClientId);
      const session = sessions.get(Token);
      if (!session) return refused("UnsupportedTokenTypeException", "Unsupported token type");
      ended.add(session.origin_jti);
      return { status: 200, body: {} };
    },

    async GlobalSignOut(input: unknown): Promise<Outcome> {
      const { AccessToken } = v.parse(GlobalSignOut, input);
      const none: JWTPayload = {};
      const { sub, origin_jti, iss, token_use } = await signer.verify(AccessToken).catch(() => none);
      if (iss !== issuerOf(pool) || token_use !== "access" || typeof origin_jti !== "string")
        return refused("NotAuthorizedException", "Invalid Access Token");
      if (ended.has(origin_jti)) return refused("NotAuthorizedException", "Access Token has been revoked");
      ended.add(origin_jti);
      endSessions(sub);
      return { status: 200, body: {} };
    },

    async AdminGetUser(input: unknown): Promise<Outcome> {
      const user = directory.find(v.parse(OfUser, input).Username);
      if (!user) return unknownUser;
      const { sub, username: Username, email, has_totp } = user;
      const UserAttributes = Object.entries({ sub, email, email_verified: "true" }).map(([Name, Value]) => ({
        Name,
        Value,
      }));
      const UserMFASettingList = has_totp ? ["SOFTWARE_TOKEN_MFA"] : undefined;
      return {
        status: 200,
        body: { Username, UserAttributes, UserStatus: user.status, Enabled: true, UserMFASettingList },
      };
    },

    async AdminResetUserPassword(input: unknown): Promise<Outcome> {
      const user = directory.find(v.parse(OfUser, input).Username);
      if (!user) return unknownUser;
      directory.setStatus(user, "RESET_REQUIRED");
      return { status: 200, body: {} };
    },

    async AdminDeleteUser(input: unknown): Promise<Outcome> {
      const user = directory.find(v.parse(OfUser, input).Username);
      if (!user) return unknownUser;
      endSessions(user.sub);
      directory.remove(user);
      return { status: 200, body: {} };
    },

    async AdminUserGlobalSignOut(input: unknown): Promise<Outcome> {
      const user = directory.find(v.parse(OfUser, input).Username);
      if (!user) return unknownUser;
      endSessions(user.sub);
      return { status: 200, body: {} };
    },
  };

  function endSessions(sub: string | undefined): void {
    for (const session of sessions.values()) if (session.sub === sub) ended.add(session.origin_jti);
  }

  async function signIn({ USERNAME, PASSWORD }: Record<string, string>): Promise<Outcome> {
    if (!USERNAME) return refused("InvalidParameterException", "Missing required parameter USERNAME");
    if (!PASSWORD) return refused("InvalidParameterException", "Missing required parameter PASSWORD");
    const user = await directory.authenticate(USERNAME, PASSWORD);
    if (!user) return refused("NotAuthorizedException", "Incorrect username or password.");
    if (user.status === "UNCONFIRMED") return refused("UserNotConfirmedException", "User is not confirmed.");
    if (user.status === "RESET_REQUIRED")
      return refused("PasswordResetRequiredException", "Password reset required for the user");

    const session = newSession(user.sub);
    const RefreshToken = randomBytes(48).toString("base64url");
    sessions.set(RefreshToken, session);
    const source = directory.isInvited(user) ? "NewPasswordChallenge" : "Authentication";
    const issued = await issue(user, session, { source, more: { RefreshToken } });
    if (issued.status === 200) directory.welcome(user);
    return issued;
  }

  async function refresh({ REFRESH_TOKEN }: Record<string, string>): Promise<Outcome> {
    if (!REFRESH_TOKEN) return refused("InvalidParameterException", "Missing required parameter REFRESH_TOKEN");
    const session = sessions.get(REFRESH_TOKEN);
    const user = session && directory.find(session.sub);
    if (!user) return refused("NotAuthorizedException", "Invalid Refresh Token");
    if (ended.has(session.origin_jti)) return refused("NotAuthorizedException", "Refresh Token has been revoked");
    return issue(user, session, { source: "RefreshTokens", more: {} });
  }

  async function issue(
    user: User,
    session: Session,
    { source, more }: { source: TokenSource; more: object },
  ): Promise<Outcome> {
    let overrides: Overrides;
    try {
      overrides = overridesOf(await preTokenGeneration(tokenEvent(pool, user, source)));
    } catch (failure) {
      if (v.isValiError(failure)) return refused("InvalidLambdaResponseException", "Unrecognizable lambda output");
      const message = failure instanceof Error ? failure.message : String(failure);
      return refused("UserLambdaValidationException", `PreTokenGeneration failed with error ${message}.`);
    }
    const [AccessToken, IdToken] = await Promise.all([
      signer.sign(overridden(accessClaims(pool, session, user), overrides)),
      signer.sign(overridden(idClaims(pool, session, user), overrides)),
    ]);
    const result = { AccessToken, ExpiresIn: lifetime, IdToken, ...more, TokenType: "Bearer" };
    return { status: 200, body: { AuthenticationResult: result, ChallengeParameters: {} } };
  }
}

const unknownUser = refused("UserNotFoundException", "User does not exist.");

const unknownClient = (clientId: string): Outcome =>
  refused("ResourceNotFoundException", `User pool client ${clientId} does not exist.`);
