import {
  AdminAddUserToGroupCommand,
  AdminCreateUserCommand,
  AdminGetUserCommand,
  type AdminGetUserResponse,
  AdminListGroupsForUserCommand,
  AdminResetUserPasswordCommand,
  AdminSetUserMFAPreferenceCommand,
  AdminUserGlobalSignOutCommand,
  type CognitoIdentityProviderClient,
} from "@aws-sdk/client-cognito-identity-provider";
import { InvalidArgumentError } from "commander";
import { command, run } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import { createAccount } from "./create-account.ts";
import { type OfStack, ofStack, outputsOf } from "./stack-outputs.ts";

type AdminOptions = OfStack & {
  readonly email: string;
  readonly group: string;
  readonly resend?: true;
  readonly userPoolId?: string;
  readonly clientId?: string;
  readonly apiUrl?: string;
  readonly tableName?: string;
};

const program = ofStack(
  command(
    "npm run admin:create --",
    "Creates an account with a verified email address in the user pool of a deployed stack, and adds it to a group. An admin is invited to set up an authenticator app within 7 days. Idempotent.",
  ).requiredOption("--email <address>", "Email address that Cognito sends a temporary password to", emailOf),
)
  .option("--group <name>", "Group: admin or editor", groupOf, "admin")
  .option("--resend", "Send a new temporary password, if the old one has not been used yet")
  .option("--user-pool-id <id>", "Id of the user pool, instead of the output UserPoolId")
  .option("--client-id <id>", "Id of the app client, instead of the output ClientId")
  .option("--api-url <url>", "URL of the API, instead of the output ApiUrl")
  .option("--table-name <name>", "Name of the table, instead of the output TableName")
  .addHelpText(
    "after",
    "\nRequires AWS credentials that may administer the user pool and, for an admin, write to the table.",
  )
  .action(createAdmin);

async function createAdmin(options: AdminOptions): Promise<void> {
  const { email, group } = options;
  await useProfile();
  const outputs = options.userPoolId && (options.tableName || group !== "admin") ? {} : await outputsOf(options);
  const { UserPoolId = "", TableName, ClientId = "<ClientId>", ApiUrl = "<ApiUrl>" } = outputs;
  const { userPoolId = UserPoolId, clientId = ClientId, apiUrl = ApiUrl, tableName = TableName } = options;
  const { cognitoClient } = await import("#lib/aws.ts");
  const pool = cognitoClient();
  const { isNew, groups, account } = await inviteAccount(pool, userPoolId, options);
  const isInGroup = groups.includes(group);
  const isReset = !isInGroup && !groups.includes("admin") && (await resetPassword(pool, userPoolId, account));
  const hasApp = group === "admin" && (await inviteAdmin(pool, { userPoolId, tableName, account, isInGroup }));
  // After the invitation, so that a repetition does not take the account for that of an admin.
  await pool.send(new AdminAddUserToGroupCommand({ UserPoolId: userPoolId, Username: email, GroupName: group }));
  console.log(isNew ? `Created ${email} in the group ${group}.` : `${email} is in the group ${group}.`);

  const isInvited = account.UserStatus === "FORCE_CHANGE_PASSWORD";
  const place = `--user-pool-id ${userPoolId} --client-id ${clientId}`;
  const steps = [
    isInvited && "Cognito sends a temporary password to this address. It is valid for three days.",
    isReset && `The password is no longer valid. Set a new one: "Forgot your password?" at ${apiUrl}/console.`,
    `Sign in: npm run odis -- --api-url ${apiUrl} sign-in --username ${email} ${place}`,
    ...(group === "admin" && !hasApp
      ? [
          "Set up an authenticator app within 7 days, which admins require: npm run odis -- totp",
          "Sign in again with a code of the app. Only sessions that used it have the rights of an admin.",
        ]
      : []),
  ].filter((step) => step !== false);
  console.log(`Next:\n${steps.map((step, n) => `${n + 1}. ${step}`).join("\n")}`);
}

type Invitation = {
  readonly userPoolId: string;
  readonly tableName: string | undefined;
  readonly account: AdminGetUserResponse;
  /** Whether the account is an admin's already. */
  readonly isInGroup: boolean;
};

/**
 * Invites an account as an admin, unless it is one. If the account has an authenticator app that was set up without an
 * invitation, or while the account was no admin's, disables the app and ends all sessions, because anybody with the password
 * could have set it up.
 *
 * @returns whether the account has a valid authenticator app
 */
async function inviteAdmin(
  pool: CognitoIdentityProviderClient,
  { userPoolId: UserPoolId, tableName, account, isInGroup }: Invitation,
): Promise<boolean> {
  const { connect } = await import("#lib/store/table.ts");
  const { hasCountedApp, invite } = await import("#lib/store/admin-access.ts");
  const table = connect(undefined, tableName)();
  const sub = account.UserAttributes?.find(({ Name }) => Name === "sub")?.Value ?? "";
  const isOn = account.UserMFASettingList?.includes("SOFTWARE_TOKEN_MFA") ?? false;
  if (isOn && isInGroup && (await hasCountedApp(table, sub))) return true;
  const who = { UserPoolId, Username: account.Username };
  if (isOn)
    await pool.send(new AdminSetUserMFAPreferenceCommand({ ...who, SoftwareTokenMfaSettings: { Enabled: false } }));
  await pool.send(new AdminUserGlobalSignOutCommand(who));
  await invite(table, sub, new Date());
  return false;
}

/**
 * Invalidates the password and ends the sessions of an account that is not new: somebody else may have created it before the
 * owner of the mailbox confirmed it. The owner sets a new password with a code.
 *
 * @returns whether a new password has to be set
 */
async function resetPassword(
  pool: CognitoIdentityProviderClient,
  UserPoolId: string,
  { Username, UserStatus }: AdminGetUserResponse,
): Promise<boolean> {
  if (UserStatus === "FORCE_CHANGE_PASSWORD") return false;
  const who = { UserPoolId, Username };
  if (UserStatus === "CONFIRMED") await pool.send(new AdminResetUserPasswordCommand(who));
  await pool.send(new AdminUserGlobalSignOutCommand(who));
  return true;
}

/** Creates the account of an email address if necessary, and sends a temporary password. */
async function inviteAccount(
  pool: CognitoIdentityProviderClient,
  UserPoolId: string,
  { email: Username, resend }: AdminOptions,
): Promise<{ isNew: boolean; groups: readonly (string | undefined)[]; account: AdminGetUserResponse }> {
  const who = { UserPoolId, Username };
  const UserAttributes = Object.entries({ email: Username, email_verified: "true" }).map(([Name, Value]) => ({
    Name,
    Value,
  }));
  const mail = { ...who, UserAttributes, DesiredDeliveryMediums: ["EMAIL" as const] };
  const isNew = await createAccount(pool, mail);
  if (!isNew && resend) await pool.send(new AdminCreateUserCommand({ ...mail, MessageAction: "RESEND" }));
  const { Groups = [] } = await pool.send(new AdminListGroupsForUserCommand(who));
  const account = await pool.send(new AdminGetUserCommand(who));
  return { isNew, groups: Groups.map(({ GroupName }) => GroupName), account };
}

function emailOf(text: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return text;
  throw new InvalidArgumentError("It must be an email address.");
}

function groupOf(text: string): string {
  if (text === "admin" || text === "editor") return text;
  throw new InvalidArgumentError("It must be admin or editor.");
}

await run(program);
