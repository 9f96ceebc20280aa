import {
  type CognitoIdentityProviderClient,
  ListGroupsCommand,
  ListUsersCommand,
  ListUsersInGroupCommand,
  type UserType,
} from "@aws-sdk/client-cognito-identity-provider";
import * as v from "valibot";
import type { Runtime } from "../runtime.ts";

/** An account in the form in which another pool can import it: without password, second factor, sessions and `sub`. */
export const Account = v.object({
  email: v.string(),
  given_name: v.optional(v.string()),
  family_name: v.optional(v.string()),
  preferred_username: v.optional(v.string()),
  groups: v.array(v.string()),
});
export type Account = v.InferOutput<typeof Account>;

/** The pool whose accounts are read. */
export type PoolSource = {
  readonly cognito: CognitoIdentityProviderClient;
  readonly poolId: string;
  readonly runtime: Pick<Runtime, "now" | "wait">;
};

type AccountsPage = {
  readonly accounts: readonly Account[];
  /** Number of accounts that are unconfirmed, disabled or without a verified address. */
  readonly leftOut: number;
  /** Token of the next page. Undefined on the last page. */
  readonly next: string | undefined;
};

/** The largest page that Cognito returns. */
const pageSize = 60;

/** Maximum pages per second. Cognito allows an account and region 30, of which a third is left to others. */
const maxPagesPerSecond = 20;

/**
 * Reads the accounts of a pool that can sign in, with their groups. Omits accounts that are unconfirmed, disabled or
 * without a verified address, because nobody could set their password by email. Pages are read one after another, because
 * each needs the token of the previous one.
 *
 * @param start token of the first page. Default: the beginning of the pool
 */
export async function* listAccounts(source: PoolSource, start?: string): AsyncGenerator<AccountsPage> {
  const { cognito, poolId: UserPoolId, runtime } = source;
  const groups = await groupsOfUsers(source);
  let PaginationToken = start;
  for (;;) {
    const startedAt = runtime.now().getTime();
    const page = await cognito.send(new ListUsersCommand({ UserPoolId, Limit: pageSize, PaginationToken }));
    const users = page.Users ?? [];
    const accounts = users.flatMap((user) => accountOf(user, groups.get(user.Username ?? "")));
    yield { accounts, leftOut: users.length - accounts.length, next: page.PaginationToken };
    if (page.PaginationToken === undefined) return;
    ({ PaginationToken } = page);
    await runtime.wait(Math.max(0, 1000 / maxPagesPerSecond - (runtime.now().getTime() - startedAt)));
  }
}

/** Formats accounts as JSON Lines. */
export const linesOf = (accounts: readonly Account[]): string =>
  accounts.map((account) => `${JSON.stringify(account)}\n`).join("");

function accountOf({ UserStatus, Enabled, Attributes = [] }: UserType, groups: readonly string[] = []): Account[] {
  const values = Object.fromEntries(Attributes.map(({ Name = "", Value }) => [Name, Value]));
  if (UserStatus === "UNCONFIRMED" || Enabled === false || values.email_verified !== "true") return [];
  return [v.parse(Account, { ...values, groups })];
}

/** The groups of each user who is in any. They are few: admins and editors. */
async function groupsOfUsers({ cognito, poolId: UserPoolId }: PoolSource): Promise<Map<string, string[]>> {
  const groups = new Map<string, string[]>();
  for await (const { Groups = [] } of everyPage((NextToken) =>
    cognito.send(new ListGroupsCommand({ UserPoolId, NextToken })),
  ))
    for (const { GroupName = "" } of Groups)
      for await (const { Users = [] } of everyPage((NextToken) =>
        cognito.send(new ListUsersInGroupCommand({ UserPoolId, GroupName, NextToken })),
      ))
        for (const { Username = "" } of Users) groups.set(Username, [...(groups.get(Username) ?? []), GroupName]);
  return groups;
}

async function* everyPage<Page extends { readonly NextToken?: string | undefined }>(
  read: (token: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  let token: string | undefined;
  do {
    const page = await read(token);
    yield page;
    token = page.NextToken;
  } while (token !== undefined);
}
