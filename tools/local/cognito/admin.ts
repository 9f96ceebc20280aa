import { randomBytes, randomUUID } from "node:crypto";
import * as v from "valibot";
import { accountOf } from "./account.ts";
import { attributesOf, listed } from "./attributes.ts";
import type { Mailbox } from "./mailbox.ts";
import { assertPassword } from "./passwords.ts";
import { Refusal, userNotFound } from "./refusal.ts";
import type { Tokens } from "./tokens.ts";
import type { Directory, User } from "./users.ts";

type AdminServices = { readonly directory: Directory; readonly tokens: Tokens; readonly mailbox: Mailbox };

const OfUser = v.object({ UserPoolId: v.string(), Username: v.string() });
const AdminCreateUser = v.object({
  ...OfUser.entries,
  TemporaryPassword: v.optional(v.string()),
  MessageAction: v.optional(v.picklist(["RESEND", "SUPPRESS"])),
  UserAttributes: v.optional(v.array(v.object({ Name: v.string(), Value: v.string() })), []),
});
const AdminSetUserMfaPreference = v.object({
  ...OfUser.entries,
  SoftwareTokenMfaSettings: v.object({ Enabled: v.boolean() }),
});
const AdminSetUserPassword = v.object({ ...OfUser.entries, Password: v.string(), Permanent: v.optional(v.boolean()) });
const AdminAddUserToGroup = v.object({ ...OfUser.entries, GroupName: v.string() });
/** The largest page that Cognito returns. */
const maxUsers = 60;
const ListUsers = v.object({
  Limit: v.optional(v.pipe(v.number(), v.maxValue(maxUsers)), maxUsers),
  PaginationToken: v.optional(v.pipe(v.string(), v.toNumber())),
});
const ListUsersInGroup = v.object({ GroupName: v.string() });
/** The groups of the deployed pool. */
const groups: readonly string[] = ["admin", "editor"];

/**
 * Operations of functions and scripts on accounts. The stand-in does not check their AWS credentials.
 *
 * @see https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminCreateUser.html
 */
export function adminOperations({ directory, tokens, mailbox }: AdminServices) {
  function find(input: unknown): User {
    const user = directory.find(v.parse(OfUser, input).Username);
    if (!user) throw userNotFound();
    return user;
  }

  function resend(user: User | undefined, password: string): User {
    if (!user) throw userNotFound();
    if (user.status !== "FORCE_CHANGE_PASSWORD")
      throw new Refusal("UnsupportedUserStateException", "User account has already been confirmed.");
    directory.setPassword(user, password);
    return user;
  }

  return {
    async AdminCreateUser(input: unknown): Promise<object> {
      const { Username, UserAttributes, TemporaryPassword, MessageAction } = v.parse(AdminCreateUser, input);
      const { email = Username, ...names } = attributesOf(UserAttributes);
      const password = TemporaryPassword ?? `Aa1-${randomBytes(12).toString("base64url")}`;
      assertPassword(password);
      const existing = directory.named(email);
      if (MessageAction === "RESEND") return { User: described(resend(existing, password)) };
      if (existing) throw new Refusal("UsernameExistsException", "User account already exists");
      const sub = randomUUID();
      const email_verified = UserAttributes.some(({ Name, Value }) => Name === "email_verified" && Value === "true");
      const status = "FORCE_CHANGE_PASSWORD";
      const user = directory.add({ ...names, sub, username: sub, password, email, email_verified, status });
      return { User: described(user) };
    },

    async AdminSetUserPassword(input: unknown): Promise<object> {
      const { Password, Permanent } = v.parse(AdminSetUserPassword, input);
      const user = find(input);
      assertPassword(Password);
      directory.setPassword(user, Password);
      directory.update(user, { status: Permanent ? "CONFIRMED" : "FORCE_CHANGE_PASSWORD" });
      return {};
    },

    async AdminListGroupsForUser(input: unknown): Promise<object> {
      return { Groups: find(input).groups.map((GroupName) => ({ GroupName })) };
    },

    async ListUsers(input: unknown): Promise<object> {
      const { Limit, PaginationToken: from = 0 } = v.parse(ListUsers, input);
      const users = directory.all();
      const end = from + Limit;
      return {
        Users: users.slice(from, end).map(described),
        ...(end < users.length && { PaginationToken: String(end) }),
      };
    },

    async ListGroups(): Promise<object> {
      return { Groups: groups.map((GroupName) => ({ GroupName })) };
    },

    async ListUsersInGroup(input: unknown): Promise<object> {
      const { GroupName } = v.parse(ListUsersInGroup, input);
      return {
        Users: directory
          .all()
          .filter((user) => user.groups.includes(GroupName))
          .map(described),
      };
    },

    async AdminAddUserToGroup(input: unknown): Promise<object> {
      const { GroupName } = v.parse(AdminAddUserToGroup, input);
      const user = find(input);
      if (!groups.includes(GroupName)) throw new Refusal("ResourceNotFoundException", "Group not found.");
      directory.update(user, { groups: [...new Set([...user.groups, GroupName])] });
      return {};
    },

    async AdminGetUser(input: unknown): Promise<object> {
      const user = find(input);
      return { ...accountOf(user), UserStatus: user.status, Enabled: true };
    },

    async AdminSetUserMFAPreference(input: unknown): Promise<object> {
      const { Enabled } = v.parse(AdminSetUserMfaPreference, input).SoftwareTokenMfaSettings;
      const user = find(input);
      if (Enabled && user.totp_secret === undefined)
        throw new Refusal("InvalidParameterException", "User has not verified software token mfa");
      directory.update(user, { has_totp: Enabled });
      return {};
    },

    async AdminResetUserPassword(input: unknown): Promise<object> {
      const user = find(input);
      directory.update(user, { status: "RESET_REQUIRED" });
      mailbox.send(user, "password");
      return {};
    },

    async AdminDeleteUser(input: unknown): Promise<object> {
      const user = find(input);
      tokens.endSessions(user.sub);
      directory.remove(user);
      return {};
    },

    async AdminUserGlobalSignOut(input: unknown): Promise<object> {
      tokens.endSessions(find(input).sub);
      return {};
    },
  };
}

const described = (user: User) => ({
  Username: user.username,
  Attributes: listed(user),
  Enabled: true,
  UserStatus: user.status,
});
