import type { PostConfirmationTriggerEvent } from "aws-lambda";
import { openPool, type TriggerContext } from "#lib/pool.ts";
import { machine } from "#lib/runtime.ts";
import { proveMailbox } from "#lib/store/sign-in.ts";
import { connect } from "#lib/store/table.ts";
import { idOfEmail } from "#lib/store/users.ts";

const open = connect();
const pool = openPool();

/** Timeout of calls to the table, in milliseconds. Cognito limits a trigger to five seconds. */
export const timeoutMs = 3000;

export async function handler(event: PostConfirmationTriggerEvent): Promise<PostConfirmationTriggerEvent> {
  await protectProfile(event, { table: open(machine.deadline(timeoutMs)), pool, now: machine.now });
  return event;
}

/**
 * Protects a profile from accounts that somebody else has created with the person's address. Confirming a sign-up proves
 * access to the mailbox, but not that the same person chose the password. If the address has a profile, the password is
 * therefore reset. Setting a password with a code from the mailbox proves both, and ends all earlier sessions.
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
