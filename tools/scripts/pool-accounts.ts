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

/** An account in the form in which another pool can import it: without password, second factor, sessions and `sub`. */
export const Account = v.object({
  email: v.string(),
  given_name: v.optional(v.string()),
  family_name: v.optional(v.string()),
  preferred_username: v.optional(v.string()),
  groups: v.array(v.string()),
});
export type Account = v.InferOutput<typeof Account>;

/**
 * Reads the accounts of a pool that can sign in, with their groups. Omits accounts that are unconfirmed, disabled or
 * without a verified address, because nobody could set their password by email.
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
 * Creates an account with a random password and sends no email. The person sets a new password with a code by email,
 * which also links their profile.
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
  const isNew = await client
    .send(new AdminCreateUserCommand({ ...user, UserAttributes, MessageAction: "SUPPRESS" }))
    .then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof UsernameExistsException)) throw error;
        return false;
      },
    );
  // Cognito refuses password resets for accounts with a temporary password, so this one is permanent. It satisfies
  // every policy: Aa1-…
  if (isNew) {
    const Password = `Aa1-${randomBytes(32).toString("base64url")}`;
    await client.send(new AdminSetUserPasswordCommand({ ...user, Password, Permanent: true }));
  }
  for (const GroupName of groups) await client.send(new AdminAddUserToGroupCommand({ ...user, GroupName }));
  return isNew;
}
