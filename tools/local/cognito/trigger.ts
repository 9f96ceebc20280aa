import type { JWTPayload } from "jose";
import * as v from "valibot";
import { listed } from "./attributes.ts";
import { type Pool, userScope } from "./claims.ts";
import type { User } from "./users.ts";

/** The event that Cognito gives to a pre-token-generation trigger of version 2. */
export type TokenEvent = ReturnType<typeof tokenEvent>;

/** What tokens are issued for. */
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

/** The event that Cognito gives to a post-confirmation trigger. */
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

/** The response of a trigger. One that says nothing leaves the tokens as they are. */
const Response = v.object({ response: v.object({ claimsAndScopeOverrideDetails: v.nullish(Details) }) });

/** What a trigger wants to be otherwise in the tokens; undefined where it has no wishes. */
export type Overrides = v.InferOutput<typeof Details> | undefined;

/** @throws ValiError for a result that is not the event with a response */
export const overridesOf = (result: unknown): Overrides =>
  v.parse(Response, result).response.claimsAndScopeOverrideDetails ?? undefined;

/**
 * A token's claims with the trigger's wishes, as Cognito grants them: reserved claims stay as they are, suppressing wins
 * over adding, scopes are the access token's only, and groups that are not handed back are gone.
 */
export function overridden(given: JWTPayload, overrides: Overrides): JWTPayload {
  if (!overrides) return given;
  const { "cognito:groups": _, scope, ...rest } = given;
  const wishes = given.token_use === "access" ? overrides.accessTokenGeneration : overrides.idTokenGeneration;

  const groups = overrides.groupOverrideDetails.groupsToOverride;
  const added = Object.entries(wishes.claimsToAddOrOverride).filter(([name]) => !isReserved(name));
  const changed = {
    ...rest,
    ...(typeof scope === "string" && { scope: scopesOf(scope, wishes) }),
    ...(groups.length > 0 && { "cognito:groups": groups }),
    ...Object.fromEntries(added),
  };
  const isSuppressed = (name: string) =>
    wishes.claimsToSuppress.includes(name) && (name === "cognito:groups" || !isReserved(name));
  return Object.fromEntries(Object.entries(changed).filter(([name]) => !isSuppressed(name)));
}

function scopesOf(
  scope: string,
  { scopesToAdd, scopesToSuppress }: Pick<v.InferOutput<typeof OfToken>, "scopesToAdd" | "scopesToSuppress">,
): string {
  const scopes = new Set([...scope.split(" "), ...scopesToAdd]);
  return [...scopes].filter((name) => !scopesToSuppress.includes(name)).join(" ");
}

/** The claims that a trigger cannot change, from the documentation's "Claims and scopes reference". */
const reserved = new Set(
  (
    "acr amr at_hash aud auth_time azp client_id device_key event_id exp iat identities iss jti nbf nonce " +
    "origin_jti scope sub token_use username version"
  ).split(" "),
);

const isReserved = (name: string): boolean => reserved.has(name) || /^(cognito|dev):/.test(name);
