import { createHash } from "node:crypto";
import { decideAgain } from "#lib/store/again.ts";
import { keys } from "#lib/store/keys.ts";
import type { Writer } from "#lib/store/table.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import type { Cognito } from "./cognito.ts";

/** The password of every demo user. */
export const password = "Odis-local-1";

/** Secret of the demo admin's authenticator app, in base32. */
export const adminTotpSecret = "ODISLOCALADMINTOTPSECRETABCDEFGH";

type Person = {
  readonly id: number;
  readonly username: string;
  readonly first_name: string;
  readonly last_name: string;
};

/** Adds a person with a profile under the given id, unless it exists. */
export async function addProfile(table: Writer, { id, username, first_name, last_name }: Person): Promise<void> {
  if (await users.find(table, id)) return;
  const sub = subOf(id);
  const email = `${username}@example.com`;
  const user = { ...users.newUser({ sub, username, email, first_name, last_name }, new Date(), Math.random), id };
  await decideAgain(table, () => users.add(table, user, { ownsEmail: true }));
}

/** Returns the `sub` of a user, which is the same in every start of the stack. */
export function subOf(userId: number): string {
  const hex = createHash("sha256").update(`odis user ${userId}`).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** Lets an account with an authenticator app be an admin, as if the invitation were long ago. */
export const addSeenApp = (table: Writer, sub: string): Promise<void> =>
  write(table, [{ put: { ...keys.adminAccess(sub), invited_until: new Date(0).toISOString(), app_seen_at: 1 } }]);

/** Signs an access token for a user without a sign-in, as Cognito would. */
export async function tokenFor(
  { sign }: Cognito,
  {
    id,
    username = `user${id}`,
    groups = [],
    expiresIn,
  }: { id: number; username?: string; groups?: string[]; expiresIn: number },
): Promise<string> {
  const claims = { user_id: id, ...(groups.includes("admin") && { admin_since: 1 }) };
  return sign({ sub: subOf(id), username, groups, claims, expiresIn });
}
