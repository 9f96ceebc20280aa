import type { PostConfirmationTriggerEvent } from "aws-lambda";
import { openPool } from "#lib/pool.ts";
import { machine } from "#lib/runtime.ts";
import { proveMailbox } from "#lib/store/sign-in.ts";
import { connect } from "#lib/store/table.ts";
import { idOfEmail } from "#lib/store/users.ts";

const open = connect();
const pool = openPool();

/**
 * Keeps accounts that somebody else began with a person's address out of the person's profile. Whoever confirms a sign-up
 * has the mailbox, but need not have chosen the password: where the address has a profile already, it is reset. Whoever
 * sets a password with a code from the mailbox has both, and ends the sessions that were begun with another password.
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
