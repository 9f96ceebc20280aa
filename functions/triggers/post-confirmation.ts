import type { PostConfirmationTriggerEvent } from "aws-lambda";
import { openPool, type TriggerContext } from "#lib/pool.ts";
import { machine } from "#lib/runtime.ts";
import * as invitations from "#lib/store/invitations.ts";
import { proveMailbox } from "#lib/store/sign-in.ts";
import { connect, type Reader } from "#lib/store/table.ts";
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
 * Protects a profile or an invitation from accounts that somebody else has created with the person's address. Confirming a
 * sign-up proves access to the mailbox, but not that the same person chose the password. If the address has a profile or was
 * invited to a team, the password is therefore reset. Setting a password with a code from the mailbox proves both, and ends
 * all earlier sessions.
 */
export async function protectProfile(
  { triggerSource, userPoolId, userName, request }: PostConfirmationTriggerEvent,
  { table, pool: userPool, now }: TriggerContext,
): Promise<void> {
  const { sub = "", email = "" } = request.userAttributes;
  if (triggerSource === "PostConfirmation_ConfirmForgotPassword")
    await Promise.all([proveMailbox(table, sub, now()), userPool.endSessions(userPoolId, userName)]);
  else if (email !== "" && (await isKnown(table, email))) await userPool.resetPassword(userPoolId, userName);
}

/** Whether an address has a profile or an invitation. */
async function isKnown(table: Reader, email: string): Promise<boolean> {
  const [id, isInvited] = await Promise.all([idOfEmail(table, email), invitations.isInvited(table, email)]);
  return id !== undefined || isInvited;
}
