import type { PostConfirmationTriggerEvent } from "aws-lambda";
import { openPool, type TriggerContext } from "#lib/pool.ts";
import { machine } from "#lib/runtime.ts";
import { proveMailbox } from "#lib/store/sign-in.ts";
import { connect } from "#lib/store/table.ts";
import { idOfEmail } from "#lib/store/users.ts";

const open = connect();
const pool = openPool();

export async function handler(event: PostConfirmationTriggerEvent): Promise<PostConfirmationTriggerEvent> {
  await protectProfile(event, { table: open(machine.deadline(3000)), pool, now: machine.now });
  return event;
}

/**
 * Keeps accounts that somebody else began with a person's address out of the person's profile. Whoever confirms a sign-up
 * has the mailbox, but need not have chosen the password: where the address has a profile already, it is reset. Whoever
 * sets a password with a code from the mailbox has both, and ends the sessions that were begun with another password.
 */
export async function protectProfile(
  { triggerSource, userPoolId, userName, request }: PostConfirmationTriggerEvent,
  { table, pool: userPool, now }: TriggerContext,
): Promise<void> {
  const { sub = "", email = "" } = request.userAttributes;
  if (triggerSource === "PostConfirmation_ConfirmForgotPassword")
    await Promise.all([proveMailbox(table, sub, now()), userPool.endSessions(userPoolId, userName)]);
  else if (email !== "" && (await idOfEmail(table, email)) !== undefined)
    await userPool.resetPassword(userPoolId, userName);
}
