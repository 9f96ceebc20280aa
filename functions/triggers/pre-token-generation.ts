import type { PreTokenGenerationV2TriggerEvent } from "aws-lambda";
import { logged } from "#lib/log.ts";
import { openPool, type TriggerContext } from "#lib/pool.ts";
import { machine } from "#lib/runtime.ts";
import { appSeenAt } from "#lib/store/admin-access.ts";
import { type SigningIn, signIn, UnprovenAccount } from "#lib/store/sign-in.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();
const pool = openPool();

/** Timeout of calls to the table, in milliseconds. Cognito limits a trigger to five seconds. */
export const timeoutMs = 4000;

export async function handler(event: PreTokenGenerationV2TriggerEvent): Promise<PreTokenGenerationV2TriggerEvent> {
  const { refusal } = await logged({ request_id: event.userName, route: "pre-token-generation" }, machine.now, () =>
    admit(event),
  );
  if (refusal) throw refusal;
  return event;
}

type Admission = { readonly statusCode?: number; readonly refusal?: UnprovenAccount };

/** Adds the claims, or returns the refusal: the log line, with its metric, is written only if nothing is thrown. */
async function admit(event: PreTokenGenerationV2TriggerEvent): Promise<Admission> {
  try {
    await addClaims(event, { table: open(machine.deadline(timeoutMs)), pool, now: machine.now });
    return {};
  } catch (error) {
    if (error instanceof UnprovenAccount) return { refusal: error };
    throw error;
  }
}

/**
 * Adds `user_id` to tokens before Cognito signs them, and creates or updates the person's profile (`docs/api.md`, section 2).
 * Concurrent sign-ins get the same profile. Leaves out the group `admin` unless the authenticator app of an invited admin
 * has been seen before, and can be looked up. The claim `admin_since` is the time when it was first seen: the API refuses
 * older sessions.
 */
export async function addClaims(
  event: PreTokenGenerationV2TriggerEvent,
  { table, pool: userPool, now }: TriggerContext,
): Promise<void> {
  const { userPoolId, userName, request } = event;
  const groups = request.groupConfiguration.groupsToOverride ?? [];
  const [user_id, admin_since] = await Promise.all([
    signIn(table, personOf(event), { now: now(), isGone: (sub) => userPool.isGone(userPoolId, sub) }),
    groups.includes("admin")
      ? appSeenAt(table, request.userAttributes.sub ?? "", {
          isNewSession: event.triggerSource !== "TokenGeneration_RefreshTokens",
          now,
          hasApp: () => userPool.hasTotp(userPoolId, userName),
          endSessions: () => userPool.endSessions(userPoolId, userName),
        })
      : undefined,
  ]);
  const isAdmin = admin_since !== undefined;
  const claims = { claimsToAddOrOverride: { user_id, ...(isAdmin && { admin_since }) } };
  event.response = {
    claimsAndScopeOverrideDetails: {
      accessTokenGeneration: claims,
      idTokenGeneration: claims,
      // Repeats the groups, because Cognito would otherwise remove them from the tokens.
      groupOverrideDetails: {
        ...request.groupConfiguration,
        groupsToOverride: groups.filter((group) => group !== "admin" || isAdmin),
      },
    },
  } as unknown as PreTokenGenerationV2TriggerEvent["response"];
}

function personOf({ userName, triggerSource, request }: PreTokenGenerationV2TriggerEvent): SigningIn {
  const { sub = "", email, email_verified, given_name, family_name, preferred_username } = request.userAttributes;
  return {
    sub,
    accountName: userName,
    username: preferred_username,
    email,
    first_name: given_name,
    last_name: family_name,
    isVerified: email_verified === "true",
    isInvited: triggerSource === "TokenGeneration_NewPasswordChallenge",
  };
}
