import { randomBytes } from "node:crypto";
import {
  AdminAddUserToGroupCommand,
  AdminCreateUserCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
  paginateListGroups,
  paginateListUsers,
  paginateListUsersInGroup,
  UsernameExistsException,
} from "@aws-sdk/client-cognito-identity-provider";
import * as v from "valibot";

/** What a pool has of a person, as far as another pool can take it: no password, second factor, session or `sub`. */
export const Account = v.object({
  email: v.string(),
  given_name: v.optional(v.string()),
  family_name: v.optional(v.string()),
  preferred_username: v.optional(v.string()),
  groups: v.array(v.string()),
});
export type Account = v.InferOutput<typeof Account>;

/**
 * The accounts of a pool that can sign in, each with its groups. Left out are those that are not confirmed, are disabled or
 * have no verified address: nobody could set a password of theirs by email.
 */
export async function exportAccounts(UserPoolId: string) {
  const client = new CognitoIdentityProviderClient();
  const groupsOf = new Map<string, string[]>();
  for await (const { Groups = [] } of paginateListGroups({ client }, { UserPoolId }))
    for (const { GroupName = "" } of Groups)
      for await (const { Users = [] } of paginateListUsersInGroup({ client }, { UserPoolId, GroupName }))
        for (const { Username = "" } of Users) groupsOf.set(Username, [...(groupsOf.get(Username) ?? []), GroupName]);
  const accounts: Account[] = [];
  let leftOut = 0;
  for await (const { Users = [] } of paginateListUsers({ client }, { UserPoolId }))
    for (const { Username = "", UserStatus, Enabled, Attributes = [] } of Users) {
      const values = new Map(Attributes.map(({ Name = "", Value }) => [Name, Value]));
      if (UserStatus === "UNCONFIRMED" || Enabled === false || values.get("email_verified") !== "true") leftOut++;
      else accounts.push(v.parse(Account, { ...Object.fromEntries(values), groups: groupsOf.get(Username) ?? [] }));
    }
  client.destroy();
  return { accounts, leftOut };
}

/**
 * Makes an account, and sends no email. Its password is random and told to nobody: the person sets one with a code from
 * their mailbox, which also leads them to their profile.
 *
 * @returns whether it was not there
 */
export async function importAccount(
  client: CognitoIdentityProviderClient,
  UserPoolId: string,
  { groups, ...values }: Account,
): Promise<boolean> {
  const user = { UserPoolId, Username: values.email };
  const attributes = { ...values, email_verified: "true" };
  const UserAttributes = Object.entries(attributes).map(([Name, Value]) => ({ Name, Value }));
  const isNew = await client
    .send(new AdminCreateUserCommand({ ...user, UserAttributes, MessageAction: "SUPPRESS" }))
    .then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof UsernameExistsException)) throw error;
        return false;
      },
    );
  // An account that still has its first password cannot ask for another one. This one meets every policy: Aa1-…
  if (isNew) {
    const Password = `Aa1-${randomBytes(32).toString("base64url")}`;
    await client.send(new AdminSetUserPasswordCommand({ ...user, Password, Permanent: true }));
  }
  for (const GroupName of groups) await client.send(new AdminAddUserToGroupCommand({ ...user, GroupName }));
  return isNew;
}
