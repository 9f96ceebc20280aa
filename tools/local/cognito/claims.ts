import { randomUUID } from "node:crypto";
import type { JWTPayload } from "jose";
import type { User } from "./users.ts";

export type Pool = { readonly poolId: string; readonly clientId: string; readonly region: string };

/** A sign-in. All its tokens share these values. */
export type Session = {
  readonly sub: string;
  readonly origin_jti: string;
  readonly event_id: string;
  /** Seconds since 1970. */
  readonly auth_time: number;
};

/** Default lifetime of access and ID tokens, in seconds. */
export const lifetime = 3600;

export const userScope = "aws.cognito.signin.user.admin";

export const issuerOf = ({ region, poolId }: Pool): string => `https://cognito-idp.${region}.amazonaws.com/${poolId}`;

export const secondsNow = (): number => Math.floor(Date.now() / 1000);

export const newSession = (sub: string): Session => ({
  sub,
  origin_jti: randomUUID(),
  event_id: randomUUID(),
  auth_time: secondsNow(),
});

/** @see https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html */
export function accessClaims(pool: Pool, session: Session, user: Pick<User, "username" | "groups">): JWTPayload {
  return {
    ...common(pool, session, user.groups),
    client_id: pool.clientId,
    token_use: "access",
    scope: userScope,
    username: user.username,
  };
}

/** @see https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html */
export function idClaims(pool: Pool, session: Session, user: User): JWTPayload {
  const { username, groups, email, email_verified, given_name, family_name, preferred_username } = user;
  return {
    ...common(pool, session, groups),
    aud: pool.clientId,
    token_use: "id",
    "cognito:username": username,
    email,
    email_verified,
    ...(given_name !== undefined && { given_name }),
    ...(family_name !== undefined && { family_name }),
    ...(preferred_username !== undefined && { preferred_username }),
  };
}

function common(pool: Pool, session: Session, groups: readonly string[]): JWTPayload {
  const iat = secondsNow();
  return {
    ...session,
    ...(groups.length > 0 && { "cognito:groups": groups }),
    iss: issuerOf(pool),
    iat,
    exp: iat + lifetime,
    jti: randomUUID(),
  };
}
