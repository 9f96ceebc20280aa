import type { PreTokenGenerationV2TriggerEvent } from "aws-lambda";
import { connect } from "#lib/store/table.ts";
import * as users from "#lib/store/users.ts";

const open = connect();

/**
 * Puts `user_id` into the tokens that Cognito is about to sign, and makes the person's profile at the first sign-in
 * (`api.md`, section 2). Signing in again, or twice at once, finds the same profile.
 */
export async function handler(event: PreTokenGenerationV2TriggerEvent): Promise<PreTokenGenerationV2TriggerEvent> {
  const { sub = "", email, given_name, family_name, preferred_username } = event.request.userAttributes;
  const table = open(AbortSignal.timeout(4000));
  const user_id =
    (await users.idOf(table, sub)) ??
    (await users.add(
      table,
      users.newUser(
        {
          sub,
          username: preferred_username ?? event.userName,
          email,
          first_name: given_name,
          last_name: family_name,
        },
        new Date(),
      ),
    ));

  const claims = { claimsToAddOrOverride: { user_id } };
  event.response = {
    claimsAndScopeOverrideDetails: {
      accessTokenGeneration: claims,
      idTokenGeneration: claims,
      // Cognito drops the groups from the tokens where this is left out.
      groupOverrideDetails: event.request.groupConfiguration,
    },
  } as unknown as PreTokenGenerationV2TriggerEvent["response"];
  return event;
}
