import { randomBytes } from "node:crypto";
import type { JWTPayload } from "jose";
import * as v from "valibot";
import { accessClaims, idClaims, issuerOf, lifetime, newSession, type Pool, type Session } from "./claims.ts";
import type { Signer } from "./keys.ts";
import { invalidParameter, missingParameter, Refusal, userNotFound } from "./refusal.ts";
import { type Overrides, overridden, overridesOf, type TokenEvent, type TokenSource, tokenEvent } from "./trigger.ts";
import type { Directory, User } from "./users.ts";

export type TokenServices = {
  readonly pool: Pool;
  readonly directory: Directory;
  readonly signer: Signer;
  readonly preTokenGeneration: (event: TokenEvent) => Promise<unknown>;
};

export type Tokens = ReturnType<typeof openTokens>;

const RevokeToken = v.object({ Token: v.string(), ClientId: v.string() });

/** Issues and verifies the tokens of a pool. Refresh tokens are lost at the end of the process. */
export function openTokens({ pool, directory, signer, preTokenGeneration }: TokenServices) {
  const sessions = new Map<string, Session>();
  /** The `origin_jti` of revoked sign-ins. */
  const ended = new Set<string>();

  /** Ends all sign-ins of the user with this `sub`. */
  function endSessions(sub: string | undefined): void {
    for (const session of sessions.values()) if (session.sub === sub) ended.add(session.origin_jti);
  }

  /** Returns the user of an access token. @throws Refusal for a token of another pool or of a revoked sign-in */
  async function ownerOf(AccessToken: string): Promise<{ user: User; endToken: () => void }> {
    const { sub, origin_jti, iss, token_use } = await signer.verify(AccessToken).catch((error: unknown) => {
      const isExpired = error instanceof Error && "code" in error && error.code === "ERR_JWT_EXPIRED";
      throw new Refusal("NotAuthorizedException", isExpired ? "Access Token has expired" : "Invalid Access Token");
    });
    if (iss !== issuerOf(pool) || token_use !== "access" || typeof origin_jti !== "string")
      throw new Refusal("NotAuthorizedException", "Invalid Access Token");
    if (ended.has(origin_jti)) throw new Refusal("NotAuthorizedException", "Access Token has been revoked");
    const user = sub === undefined ? undefined : directory.find(sub);
    if (!user) throw userNotFound();
    return { user, endToken: () => void ended.add(origin_jti) };
  }

  async function issue(user: User, session: Session, source: TokenSource): Promise<object> {
    let overrides: Overrides;
    try {
      overrides = overridesOf(await preTokenGeneration(tokenEvent(pool, user, source)));
    } catch (failure) {
      if (v.isValiError(failure)) throw new Refusal("InvalidLambdaResponseException", "Unrecognizable lambda output");
      const message = failure instanceof Error ? failure.message : String(failure);
      throw new Refusal("UserLambdaValidationException", `PreTokenGeneration failed with error ${message}.`);
    }
    const signed = (claims: JWTPayload) => signer.sign(overridden(claims, overrides));
    const [AccessToken, IdToken] = await Promise.all([
      signed(accessClaims(pool, session, user)),
      signed(idClaims(pool, session, user)),
    ]);
    return { AccessToken, ExpiresIn: lifetime, IdToken, TokenType: "Bearer" };
  }

  return {
    endSessions,
    ownerOf,

    /** Completes a sign-in and returns the response with its tokens. */
    async signIn(user: User, source: TokenSource = "Authentication"): Promise<object> {
      const session = newSession(user.sub);
      const RefreshToken = randomBytes(48).toString("base64url");
      sessions.set(RefreshToken, session);
      const issued = await issue(user, session, directory.isInvited(user) ? "NewPasswordChallenge" : source);
      directory.welcome(user);
      return { AuthenticationResult: { ...issued, RefreshToken }, ChallengeParameters: {} };
    },

    async refresh(RefreshToken: string | undefined): Promise<object> {
      if (!RefreshToken) throw missingParameter("REFRESH_TOKEN");
      const session = sessions.get(RefreshToken);
      const user = session && directory.find(session.sub);
      if (!user) throw new Refusal("NotAuthorizedException", "Invalid Refresh Token");
      if (ended.has(session.origin_jti)) throw new Refusal("NotAuthorizedException", "Refresh Token has been revoked");
      return { AuthenticationResult: await issue(user, session, "RefreshTokens"), ChallengeParameters: {} };
    },

    operations: {
      async RevokeToken(input: unknown): Promise<object> {
        const { Token, ClientId } = v.parse(RevokeToken, input);
        assertClient(pool, ClientId);
        const session = sessions.get(Token);
        if (!session) throw new Refusal("UnsupportedTokenTypeException", "Unsupported token type");
        ended.add(session.origin_jti);
        return {};
      },

      async GlobalSignOut(input: unknown): Promise<object> {
        const { user, endToken } = await ownerOf(accessTokenOf(input));
        endToken();
        endSessions(user.sub);
        return {};
      },
    },
  };
}

/** @throws Refusal for an unknown app client */
export function assertClient(pool: Pool, clientId: string): void {
  if (clientId === pool.clientId) return;
  throw new Refusal("ResourceNotFoundException", `User pool client ${clientId} does not exist.`);
}

/** Returns the access token of an operation's input. */
export function accessTokenOf(input: unknown): string {
  if (v.is(v.object({ AccessToken: v.string() }), input)) return input.AccessToken;
  throw invalidParameter("1 validation error detected: Value at 'accessToken' failed to satisfy constraint");
}
