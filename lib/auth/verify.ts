import { JwtExpiredError } from "aws-jwt-verify/error";
import { type Fetcher, SimpleFetcher } from "aws-jwt-verify/https";
import type { Jwks } from "aws-jwt-verify/jwk";
import { decomposeUnverifiedJwt } from "aws-jwt-verify/jwt";
import { JwtVerifier } from "aws-jwt-verify/jwt-verifier";
import { env } from "../env.ts";
import { Problem, unauthorized } from "../problem.ts";
import { machine, type Runtime } from "../runtime.ts";
import { publicKeys } from "./public-keys.ts";

/** What a valid access token says: its user where the pre-token-generation trigger put one in. */
export type Claims = {
  readonly sub: string;
  readonly username: string;
  readonly userId: number | undefined;
  /** `admin` is among them only if the sign-in is later than `admin_since`, the first sight of the authenticator app. */
  readonly groups: readonly string[];
  /** When the person signed in, in seconds since 1970. Refreshing a token does not change it. */
  readonly authTime: number | undefined;
};

export type Verify = {
  (token: string): Promise<Claims>;
  /** Fetches the pool's public keys ahead of the first request, unless they are there. */
  hydrate(): Promise<void>;
};

/** The clock and the network. */
type Outside = Pick<Runtime, "now"> & { readonly fetcher: Fetcher };

/**
 * Verifies access tokens of our user pool and client (`docs/api.md`, section 2): RS256, `token_use` access, not expired, and
 * issued by the pool's regional issuer. No other issuer is believed or asked, whatever a token says. `JWKS` in the
 * environment holds the pool's public keys where they cannot be fetched.
 *
 * @throws Problem `expired_token`, `invalid_token`; `unavailable` if no public key could be fetched yet
 */
export function cognito({ now, fetcher }: Outside = { now: machine.now, fetcher: new SimpleFetcher() }): Verify {
  const poolId = env("USER_POOL_ID");
  const given = env("JWKS");
  const issuer = `https://cognito-idp.${poolId.split("_")[0]}.amazonaws.com/${poolId}`;
  const jwksUri = `${issuer}/.well-known/jwks.json`;
  const keys = publicKeys({ jwksUri, fetcher, now });
  const clientId = env("CLIENT_ID");
  const verifier = JwtVerifier.create(
    // Cognito's access tokens name their client in `client_id`, and have no audience.
    { issuer, jwksUri, audience: null },
    { jwksCache: keys.cache },
  );
  if (given) verifier.cacheJwks(given as Jwks);

  /** Looks at what costs nothing before a key is fetched for a token. */
  const loadKeyOf = async (token: string): Promise<void> => {
    const { header, payload } = decomposed(token);
    if (payload.iss !== issuer) throw invalid("The token was not issued by the user pool of this API");
    if (header.alg !== "RS256" || typeof header.kid !== "string") throw unauthorized("invalid_token");
    if (!given) await keys.load(header.kid);
  };

  const verify = async (token: string): Promise<Claims> => {
    try {
      await loadKeyOf(token);
      const { sub, username, token_use, client_id, user_id, ...claims } = verifier.verifySync(token);
      if (token_use !== "access") throw invalid("The token is not an access token: send that of the sign-in");
      if (client_id !== clientId) throw invalid("The token was issued to another app client");
      const authTime = typeof claims.auth_time === "number" ? claims.auth_time : undefined;
      const isAdmin = (authTime ?? 0) > (integerOf(claims.admin_since) ?? Number.POSITIVE_INFINITY);
      return {
        sub: textOf(sub),
        username: textOf(username),
        groups: textsOf(claims["cognito:groups"]).filter((group) => group !== "admin" || isAdmin),
        userId: integerOf(user_id),
        authTime,
      };
    } catch (cause) {
      if (cause instanceof Problem) throw cause;
      throw unauthorized(cause instanceof JwtExpiredError ? "expired_token" : "invalid_token", { cause });
    }
  };
  return Object.assign(verify, { hydrate: async () => (given ? undefined : keys.load("")) });
}

/** @throws Problem `invalid_token` for a token that is not a JWT */
function decomposed(token: string) {
  try {
    return decomposeUnverifiedJwt(token);
  } catch (cause) {
    throw invalid("The token is not a JWT", cause);
  }
}

const invalid = (detail: string, cause?: unknown): Problem => unauthorized("invalid_token", { detail, cause });

/**
 * The token of an Authorization header (RFC 6750, section 2.1); undefined where there is no header.
 *
 * @throws Problem `missing_token` if nothing follows the scheme, `invalid_token` for any other header
 */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === "") return undefined;
  if (/^Bearer$/i.test(header.trim()))
    throw unauthorized("missing_token", { detail: "The Authorization header has no token after Bearer" });
  const token = /^Bearer +([\w\-.~+/]+=*)$/i.exec(header.trim())?.[1];
  if (token === undefined) throw invalid("The Authorization header must be: Bearer <access token>");
  return token;
}

const textOf = (claim: unknown): string => (typeof claim === "string" ? claim : "");

const textsOf = (claim: unknown): string[] =>
  Array.isArray(claim) ? claim.filter((one) => typeof one === "string") : [];

/** The trigger writes a number; Cognito may hand it back as a string. */
function integerOf(claim: unknown): number | undefined {
  const integer = typeof claim === "string" && /^\d{1,16}$/.test(claim) ? Number(claim) : claim;
  return typeof integer === "number" && Number.isSafeInteger(integer) && integer > 0 ? integer : undefined;
}
