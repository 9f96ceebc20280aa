import { CognitoJwtVerifier } from "aws-jwt-verify";
import { FetchError, JwtExpiredError } from "aws-jwt-verify/error";
import type { Jwks } from "aws-jwt-verify/jwk";
import { env } from "../env.ts";
import { Problem } from "../problem.ts";

/** What a valid access token says: its user where the pre-token-generation trigger put one in. */
export type Claims = {
  readonly sub: string;
  readonly username: string;
  readonly userId: number | undefined;
  readonly groups: readonly string[];
};

export type Verify = {
  (token: string): Promise<Claims>;
  /** Fetches the pool's public keys ahead of the first request, unless they are there. */
  hydrate(): Promise<void>;
};

/**
 * Verifies access tokens of our user pool and client (`docs/api.md`, section 2): RS256, `token_use` access, current.
 * `JWKS` in the environment holds the pool's public keys where they cannot be fetched.
 *
 * @throws Problem `expired_token`, `invalid_token`; `unavailable` when the public keys cannot be fetched
 */
export function cognito(): Verify {
  const verifier = CognitoJwtVerifier.create({
    userPoolId: env("USER_POOL_ID"),
    clientId: env("CLIENT_ID"),
    tokenUse: "access",
  });
  const jwks = env("JWKS");
  if (jwks) verifier.cacheJwks(jwks as Jwks);

  const verify = async (token: string): Promise<Claims> => {
    try {
      const { sub, username, "cognito:groups": groups = [], user_id } = await verifier.verify(token);
      return { sub, username, groups, userId: userIdOf(user_id) };
    } catch (cause) {
      if (cause instanceof FetchError) throw new Problem("unavailable", { headers: { "retry-after": "1" }, cause });
      throw refused(cause instanceof JwtExpiredError ? "expired_token" : "invalid_token", cause);
    }
  };
  return Object.assign(verify, { hydrate: async () => (jwks ? undefined : verifier.hydrate()) });
}

/**
 * The token of an Authorization header (RFC 6750, section 2.1); undefined where there is none.
 *
 * @throws Problem `invalid_token` when the header holds something else
 */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === "") return undefined;
  const token = /^Bearer +([\w\-.~+/]+=*)$/i.exec(header.trim())?.[1];
  if (token === undefined) throw refused("invalid_token");
  return token;
}

/** The challenge of RFC 6750, section 3: without an error code where no token was given at all. */
export function refused(code: "missing_token" | "invalid_token" | "expired_token", cause?: unknown): Problem {
  const error = code === "missing_token" ? "" : `, error="invalid_token", error_description="${descriptions[code]}"`;
  return new Problem(code, { headers: { "www-authenticate": `Bearer realm="odis"${error}` }, cause });
}

const descriptions = { invalid_token: "The token is not valid", expired_token: "The token has expired" };

/** The trigger writes a number; Cognito may hand it back as a string. */
function userIdOf(claim: unknown): number | undefined {
  const id = typeof claim === "string" && /^\d{1,16}$/.test(claim) ? Number(claim) : claim;
  return typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}
