import type { JWTPayload } from "jose";
import * as v from "valibot";
import { listed } from "./attributes.ts";
import { type Pool, userScope } from "./claims.ts";
import type { User } from "./users.ts";

/** The event of a pre-token-generation trigger, version 2. */
export type TokenEvent = ReturnType<typeof tokenEvent>;

/** The reason for issuing tokens. */
export type TokenSource = "Authentication" | "NewPasswordChallenge" | "RefreshTokens";

/** @see https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-token-generation.html */
export function tokenEvent({ region, poolId, clientId }: Pool, user: User, source: TokenSource) {
  const { username, groups, status } = user;
  return {
    version: "2",
    triggerSource: `TokenGeneration_${source}`,
    region,
    userPoolId: poolId,
    userName: username,
    callerContext: { awsSdkVersion: "aws-sdk-unknown-unknown", clientId },
    request: {
      userAttributes: userAttributes(user, status),
      groupConfiguration: { groupsToOverride: groups, iamRolesToOverride: [], preferredRole: null },
      scopes: [userScope],
    },
    response: { claimsAndScopeOverrideDetails: null },
  } as const;
}

/** The event of a post-confirmation trigger. */
export type ConfirmationEvent = ReturnType<typeof confirmationEvent>;

/** @see https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-post-confirmation.html */
export const confirmationEvent = (
  { region, poolId, clientId }: Pool,
  user: User,
  source: "ConfirmSignUp" | "ConfirmForgotPassword",
) =>
  ({
    version: "1",
    triggerSource: `PostConfirmation_${source}`,
    region,
    userPoolId: poolId,
    userName: user.username,
    callerContext: { awsSdkVersion: "aws-sdk-unknown-unknown", clientId },
    request: { userAttributes: userAttributes({ ...user, email_verified: true }, "CONFIRMED") },
    response: {},
  }) as const;

const userAttributes = (user: User, status: User["status"]): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(listed(user).map(({ Name, Value }) => [Name, Value])),
  "cognito:user_status": status,
});

const names = v.nullish(v.array(v.string()), []);
const claims = v.nullish(v.record(v.string(), v.unknown()), {});
const OfToken = v.nullish(
  v.object({ claimsToAddOrOverride: claims, claimsToSuppress: names, scopesToAdd: names, scopesToSuppress: names }),
  {},
);

const Details = v.object({
  accessTokenGeneration: OfToken,
  idTokenGeneration: OfToken,
  groupOverrideDetails: v.nullish(v.object({ groupsToOverride: names }), {}),
});

/** The response of a trigger. An empty response leaves the tokens unchanged. */
const Response = v.object({ response: v.object({ claimsAndScopeOverrideDetails: v.nullish(Details) }) });

/** The changes of tokens in a trigger's response. Undefined if there are none. */
export type Overrides = v.InferOutput<typeof Details> | undefined;

/** @throws ValiError for a result that is not the event with a response */
export const overridesOf = (result: unknown): Overrides =>
  v.parse(Response, result).response.claimsAndScopeOverrideDetails ?? undefined;

/**
 * Applies a trigger's changes to a token's claims as Cognito does: reserved claims stay, suppressing overrides adding,
 * scopes apply to the access token only, and groups that are not returned are removed.
 */
export function overridden(claimsBefore: JWTPayload, overrides: Overrides): JWTPayload {
  if (!overrides) return claimsBefore;
  const { "cognito:groups": _, scope, ...rest } = claimsBefore;
  const changes = claimsBefore.token_use === "access" ? overrides.accessTokenGeneration : overrides.idTokenGeneration;

  const groups = overrides.groupOverrideDetails.groupsToOverride;
  const added = Object.entries(changes.claimsToAddOrOverride).filter(([name]) => !isReserved(name));
  const changed = {
    ...rest,
    ...(typeof scope === "string" && { scope: scopesOf(scope, changes) }),
    ...(groups.length > 0 && { "cognito:groups": groups }),
    ...Object.fromEntries(added),
  };
  const isSuppressed = (name: string) =>
    changes.claimsToSuppress.includes(name) && (name === "cognito:groups" || !isReserved(name));
  return Object.fromEntries(Object.entries(changed).filter(([name]) => !isSuppressed(name)));
}

function scopesOf(
  scope: string,
  { scopesToAdd, scopesToSuppress }: Pick<v.InferOutput<typeof OfToken>, "scopesToAdd" | "scopesToSuppress">,
): string {
  const scopes = new Set([...scope.split(" "), ...scopesToAdd]);
  return [...scopes].filter((name) => !scopesToSuppress.includes(name)).join(" ");
}

/** The claims that a trigger cannot change, from "Claims and scopes reference" in the documentation. */
const reserved = new Set(
  (
    "acr amr at_hash aud auth_time azp client_id device_key event_id exp iat identities iss jti nbf nonce " +
    "origin_jti scope sub token_use username version"
  ).split(" "),
);

const isReserved = (name: string): boolean => reserved.has(name) || /^(cognito|dev):/.test(name);
