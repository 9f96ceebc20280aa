import type { PreTokenGenerationV2TriggerEvent } from "aws-lambda";
import { machine } from "#lib/runtime.ts";
import { connect } from "#lib/store/table.ts";
import * as users from "#lib/store/users.ts";

const open = connect();

/**
 * Puts `user_id` into the tokens that Cognito is about to sign, and makes the person's profile at the first sign-in
 * (`docs/api.md`, section 2), unless one was imported for their e-mail address. Signing in again, or twice at once, finds
 * the same profile.
 */
export async function handler(event: PreTokenGenerationV2TriggerEvent): Promise<PreTokenGenerationV2TriggerEvent> {
  const { sub = "", email, email_verified, given_name, family_name, preferred_username } = event.request.userAttributes;
  const user_id = await users.signIn(
    open(machine.deadline(4000)),
    {
      sub,
      username: preferred_username ?? event.userName,
      email,
      first_name: given_name,
      last_name: family_name,
      isVerified: email_verified === "true",
    },
    machine.now(),
  );

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
