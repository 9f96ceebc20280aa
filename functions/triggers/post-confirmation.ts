import type { PostConfirmationTriggerEvent } from "aws-lambda";
import { openPool } from "#lib/pool.ts";
import { machine } from "#lib/runtime.ts";
import { proveMailbox } from "#lib/store/sign-in.ts";
import { connect } from "#lib/store/table.ts";
import { idOfEmail } from "#lib/store/users.ts";

const open = connect();
const pool = openPool();

/**
 * Protects a profile from accounts that somebody else has created with the person's address. Confirming a sign-up proves
 * access to the mailbox, but not that the same person chose the password. If the address has a profile, the password is
 * therefore reset. Setting a password with a code from the mailbox proves both, and ends all earlier sessions.
 */
export async function handler(event: PostConfirmationTriggerEvent): Promise<PostConfirmationTriggerEvent> {
  const { userPoolId, userName, request } = event;
  const { sub = "", email = "" } = request.userAttributes;
  const table = open(machine.deadline(3000));
  if (event.triggerSource === "PostConfirmation_ConfirmForgotPassword")
    await Promise.all([proveMailbox(table, sub, machine.now()), pool.endSessions(userPoolId, userName)]);
  else if (email !== "" && (await idOfEmail(table, email)) !== undefined)
    await pool.resetPassword(userPoolId, userName);
  return event;
}
