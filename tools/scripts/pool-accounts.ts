import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import {
  AdminAddUserToGroupCommand,
  AdminGetUserCommand,
  AdminListGroupsForUserCommand,
  AdminSetUserPasswordCommand,
  type CognitoIdentityProviderClient,
} from "@aws-sdk/client-cognito-identity-provider";
import * as v from "valibot";
import { Account, linesOf, listAccounts, type PoolSource } from "#lib/accounts/list.ts";
import { kindOf } from "#lib/store/keys.ts";
import { everyItem } from "#lib/store/scan.ts";
import type { Writer } from "#lib/store/table.ts";
import { User } from "#lib/store/users.ts";
import { createAccount } from "./create-account.ts";

/**
 * Writes the accounts of a pool to a file that only its owner can read, one a line. Replaces an earlier file once all accounts are
 * read.
 */
export async function writeAccounts(source: PoolSource, file: string, onProgress: (accounts: number) => void) {
  const sums = { accounts: 0, left_out: 0 };
  const part = `${file}.part`;
  try {
    await rm(part, { force: true });
    await using out = await open(part, "wx", 0o600);
    for await (const { accounts, leftOut } of listAccounts(source)) {
      await out.write(linesOf(accounts));
      sums.accounts += accounts.length;
      sums.left_out += leftOut;
      onProgress(sums.accounts);
    }
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
  return sums;
}

/** An account to import, and where it stands. */
export type Importable = {
  readonly place: string;
  /** @throws Error if the line or the profile is malformed */
  readonly account: () => Account;
};

/** Reads the accounts of a file that `npm run pool:export` wrote. */
export async function* accountsInFile(path: string): AsyncGenerator<Importable> {
  await using file = await open(path);
  let n = 0;
  for await (const line of file.readLines()) {
    const place = `line ${++n}`;
    if (line !== "") yield { place, account: () => v.parse(Account, JSON.parse(line)) };
  }
}

/**
 * Reads the accounts of people with a profile and a verified address, without groups. Imported members who have never signed in
 * had no account.
 *
 * @param since leaves out profiles that were not created or changed after this time
 */
export async function* accountsInTable(table: Writer, since = new Date(0)): AsyncGenerator<Importable> {
  for await (const item of everyItem(table)) {
    if (kindOf(item) !== "user") continue;
    const place = `user ${String(item.id)}`;
    const { success, output } = v.safeParse(User, item);
    if (!success) yield { place, account: () => accountOf(v.parse(User, item)) };
    else if (hadAccount(output) && Date.parse(output.updated_at) >= since.getTime())
      yield { place, account: () => accountOf(output) };
  }
}

const hadAccount = ({ email, sub, erased_at }: User): boolean => email !== "" && sub !== null && !erased_at;

const accountOf = ({ email, first_name, last_name, username, sub }: User): Account => ({
  email,
  ...(first_name !== "" && { given_name: first_name }),
  ...(last_name !== "" && { family_name: last_name }),
  // The name of the account itself, if the person has chosen none.
  ...(username !== sub && { preferred_username: username }),
  groups: [],
});

/**
 * Creates an account with a random password and sends no email, or completes one whose creation was interrupted. Replaces
 * an account whose sign-up is not confirmed. The person sets a new password with a code by email, which also links their profile.
 *
 * @returns whether the account is new
 */
export async function importAccount(
  client: CognitoIdentityProviderClient,
  UserPoolId: string,
  { groups, ...values }: Account,
): Promise<boolean> {
  const user = { UserPoolId, Username: values.email };
  const attributes = { ...values, email_verified: "true" };
  const UserAttributes = Object.entries(attributes).map(([Name, Value]) => ({ Name, Value }));
  const isNew =
    (await createAccount(client, { ...user, UserAttributes, MessageAction: "SUPPRESS" })) ||
    (await isIncomplete(client, user));
  // Cognito refuses password resets for accounts with a temporary password, so this one is permanent. It satisfies
  // every policy: Aa1-…
  if (isNew) {
    const Password = `Aa1-${randomBytes(32).toString("base64url")}`;
    await client.send(new AdminSetUserPasswordCommand({ ...user, Password, Permanent: true }));
  }
  for (const GroupName of groups) await client.send(new AdminAddUserToGroupCommand({ ...user, GroupName }));
  return isNew;
}

/**
 * Whether an account has a temporary password that nobody knows, because an import was interrupted before it set another. An
 * import adds groups last, so an account in a group was invited by `npm run admin:create` instead.
 */
async function isIncomplete(
  client: CognitoIdentityProviderClient,
  user: { readonly UserPoolId: string; readonly Username: string },
): Promise<boolean> {
  const { UserStatus } = await client.send(new AdminGetUserCommand(user));
  if (UserStatus !== "FORCE_CHANGE_PASSWORD") return false;
  const { Groups = [] } = await client.send(new AdminListGroupsForUserCommand(user));
  return Groups.length === 0;
}
