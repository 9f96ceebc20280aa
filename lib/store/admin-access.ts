import { logError } from "../log.ts";
import { clockMargin } from "../values/clock-margin.ts";
import { Conflict } from "./failure.ts";
import { keys } from "./keys.ts";
import type { Reader, Writer } from "./table.ts";
import { subjectNotErased } from "./users.ts";
import { write } from "./write.ts";

const invitationMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Invites the account with this `sub` to become an admin: the authenticator app that is first seen within 7 days gives
 * the group `admin` to later sign-ins. An app that was seen before the invitation no longer counts.
 *
 * @throws Problem `invalid_token` if the person was erased
 */
export const invite = (table: Writer, sub: string, now: Date): Promise<void> =>
  write(table, [
    { put: { ...keys.adminAccess(sub), invited_until: new Date(now.getTime() + invitationMs).toISOString() } },
    subjectNotErased(sub),
  ]);

/** Whether an authenticator app of the account with this `sub` counts for the group `admin`. */
export const hasCountedApp = async (table: Reader, sub: string): Promise<boolean> =>
  (await table.get(keys.adminAccess(sub)))?.app_seen_at !== undefined;

type AppInput = {
  /** Whether somebody has just signed in, instead of a session getting new tokens. */
  readonly isNewSession: boolean;
  readonly now: () => Date;
  /** Whether the account has an authenticator app that sign-ins ask for. */
  readonly hasApp: () => Promise<boolean>;
  /** Ends all sessions of the account. */
  readonly endSessions: () => Promise<void>;
};

/**
 * The time from which sign-ins of an invited admin certainly used the authenticator app, in seconds since 1970. This is
 * the clock margin after the app was first seen, because the time of a sign-in is set by Cognito's clock. Undefined if
 * no app counts. When an app is first seen, all sessions of the account are ended, because they began without the app.
 *
 * If the pool cannot be asked, because its quota is used up or it fails, no app counts. A session that begins then may have
 * begun without the app, so that sessions up to this time never count.
 */
export async function appSeenAt(table: Writer, sub: string, input: AppInput): Promise<number | undefined> {
  const { isNewSession, now, hasApp, endSessions } = input;
  const key = keys.adminAccess(sub);
  const [access, isOn] = await Promise.all([table.get(key), hasApp().catch(logError)]);
  if (!access) return undefined;
  const { invited_until, app_seen_at } = access;
  const note = (seenAt: number | undefined) =>
    write(table, [{ update: key, set: { app_seen_at: seenAt }, when: { is: { invited_until, app_seen_at } } }]).catch(
      ignoreConflict,
    );
  const fromNow = () => Math.ceil((now().getTime() + clockMargin) / 1000);
  if (!isOn) {
    if (isOn === false && app_seen_at !== undefined) await note(undefined);
    if (isOn === undefined && app_seen_at !== undefined && isNewSession) await note(fromNow());
    return undefined;
  }
  if (app_seen_at !== undefined) return Number(app_seen_at);
  if (now().getTime() > Date.parse(String(invited_until))) return undefined;
  const areEnded = await endSessions().then(() => true, logError);
  if (areEnded) await note(fromNow());
  return undefined;
}

/** A concurrent request for the same account, or a new invitation, has written the item first. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}
