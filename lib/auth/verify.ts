import { CognitoJwtVerifier } from "aws-jwt-verify/cognito-verifier";
import {
  CognitoJwtInvalidClientIdError,
  CognitoJwtInvalidTokenUseError,
  FetchError,
  JwtExpiredError,
  JwtParseError,
  ParameterValidationError,
  WaitPeriodNotYetEndedJwkError,
} from "aws-jwt-verify/error";
import { type Fetcher, SimpleFetcher } from "aws-jwt-verify/https";
import { env } from "../env.ts";
import { Problem, unauthorized } from "../problem.ts";
import { machine, type Runtime } from "../runtime.ts";
import { publicKeys } from "./public-keys.ts";

/** The claims of a valid access token. */
export type Claims = {
  readonly sub: string;
  readonly username: string;
  readonly userId: number | undefined;
  /** Contains `admin` only if the sign-in is later than `admin_since`, when the authenticator app was first seen. */
  readonly groups: readonly string[];
  /** Time of the sign-in, in seconds since 1970. A refreshed token keeps it. */
  readonly authTime: number | undefined;
};

export type Verify = {
  (token: string): Promise<Claims>;
  /** Fetches the pool's public keys before the first request, unless they are known. */
  hydrate(): Promise<void>;
};

/** The clock and the network. */
type Outside = Pick<Runtime, "now"> & { readonly fetcher: Fetcher };

/**
 * Verifies that an access token is signed by the user pool for our client, has `token_use` access, and has not expired
 * (`docs/api.md`, section 2). The environment variable `JWKS` holds the public keys where they cannot be fetched.
 *
 * @throws Problem `expired_token`, `invalid_token`; `unavailable` if no public key could be fetched yet
 */
export function cognito({ now, fetcher }: Outside = { now: machine.now, fetcher: new SimpleFetcher() }): Verify {
  const userPoolId = env("USER_POOL_ID");
  const jwks = env("JWKS");
  const keys = publicKeys({ now, fetcher: jwks ? fetcherOf(jwks) : fetcher });
  const verifier = CognitoJwtVerifier.create(
    { userPoolId, clientId: env("CLIENT_ID"), tokenUse: "access" },
    { jwksCache: keys.cache },
  );

  const verify = async (token: string): Promise<Claims> => {
    const payload = await verifier.verify(token).catch((error: unknown) => {
      throw problemOf(error, keys.areKnown());
    });
    return claimsOf(payload);
  };
  const { jwksUri } = CognitoJwtVerifier.parseUserPoolId(userPoolId);
  return Object.assign(verify, { hydrate: async () => void (await keys.cache.getJwks(jwksUri)) });
}

/** Reads the claims in the payload of a valid access token. */
export function claimsOf({ sub, username, user_id, auth_time, ...payload }: Readonly<Record<string, unknown>>): Claims {
  const authTime = typeof auth_time === "number" ? auth_time : undefined;
  const isAdmin = (authTime ?? 0) > (integerOf(payload.admin_since) ?? Number.POSITIVE_INFINITY);
  return {
    sub: textOf(sub),
    username: textOf(username),
    groups: textsOf(payload["cognito:groups"]).filter((group) => group !== "admin" || isAdmin),
    userId: integerOf(user_id),
    authTime,
  };
}

const fetcherOf = (jwks: object): Fetcher => ({
  fetch: async () => new TextEncoder().encode(JSON.stringify(jwks)).buffer,
});

/** The `detail` of the problem for those verification errors that the sender of the token can correct. */
const details = [
  [JwtParseError, "The token is not a JWT"],
  [ParameterValidationError, "The token was not issued by the user pool of this API"],
  [CognitoJwtInvalidTokenUseError, "The token is not an access token: send that of the sign-in"],
  [CognitoJwtInvalidClientIdError, "The token was issued to another app client"],
] as const;

function problemOf(cause: unknown, areKeysKnown: boolean): Problem {
  if (cause instanceof JwtExpiredError) return unauthorized("expired_token", { cause });
  const isOutage = cause instanceof FetchError || cause instanceof WaitPeriodNotYetEndedJwkError;
  // If keys are known, a token with an unknown key is invalid. Without any key, a valid token cannot be recognized.
  if (isOutage && !areKeysKnown) return new Problem("unavailable", { headers: { "retry-after": "1" }, cause });
  const [, detail] = details.find(([type]) => cause instanceof type) ?? [];
  return unauthorized("invalid_token", { cause, ...(detail !== undefined && { detail }) });
}

/**
 * The token of an Authorization header (RFC 6750, section 2.1). Undefined without a header.
 *
 * @throws Problem `missing_token` if nothing follows the scheme, `invalid_token` for any other header
 */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === "") return undefined;
  if (/^Bearer$/i.test(header.trim()))
    throw unauthorized("missing_token", { detail: "The Authorization header has no token after Bearer" });
  const token = /^Bearer +([\w\-.~+/]+=*)$/i.exec(header.trim())?.[1];
  if (token === undefined)
    throw unauthorized("invalid_token", { detail: "The Authorization header must be: Bearer <access token>" });
  return token;
}

const textOf = (claim: unknown): string => (typeof claim === "string" ? claim : "");

const textsOf = (claim: unknown): string[] =>
  Array.isArray(claim) ? claim.filter((value) => typeof value === "string") : [];

/** Reads a number from a claim. The trigger sets a number, but Cognito may return it as a string. */
function integerOf(claim: unknown): number | undefined {
  const integer = typeof claim === "string" && /^\d{1,16}$/.test(claim) ? Number(claim) : claim;
  return typeof integer === "number" && Number.isSafeInteger(integer) && integer > 0 ? integer : undefined;
}
