import * as v from "valibot";
import { assertWritable, attributesOf, listed } from "./attributes.ts";
import { deliveryTo, type Mailbox } from "./mailbox.ts";
import { assertPassword } from "./passwords.ts";
import { invalidParameter, missingParameter, Refusal, wrongCredentials } from "./refusal.ts";
import { accessTokenOf, type Tokens } from "./tokens.ts";
import type { Directory, User } from "./users.ts";

type Parts = { readonly directory: Directory; readonly tokens: Tokens; readonly mailbox: Mailbox };

const Attributes = v.object({ UserAttributes: v.array(v.object({ Name: v.string(), Value: v.string() })) });
const OfAttribute = v.object({ AttributeName: v.string() });
const VerifyUserAttribute = v.object({ ...OfAttribute.entries, Code: v.string() });
const ChangePassword = v.object({ PreviousPassword: v.optional(v.string()), ProposedPassword: v.string() });

/**
 * What people do with their own account.
 *
 * @see https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_GetUser.html
 */
export function accountOperations({ directory, tokens, mailbox }: Parts) {
  /** Addresses that are not verified yet, by `sub`. Until then the old one stays. */
  const wanted = new Map<string, string>();

  const read = async <S extends v.GenericSchema>(schema: S, input: unknown) => ({
    user: (await tokens.ownerOf(accessTokenOf(input))).user,
    given: v.parse(schema, input),
  });

  const askToVerify = (user: User, email: string) => {
    if (isTaken(directory, user, email))
      throw new Refusal("AliasExistsException", "An account with the email already exists.");
    wanted.set(user.sub, email);
    mailbox.send(user, "email");
    return deliveryTo(email);
  };

  return {
    async GetUser(input: unknown): Promise<object> {
      return accountOf((await tokens.ownerOf(accessTokenOf(input))).user);
    },

    async UpdateUserAttributes(input: unknown): Promise<object> {
      const { user, given } = await read(Attributes, input);
      assertWritable(given.UserAttributes);
      const { email, ...names } = attributesOf(given.UserAttributes);
      const CodeDeliveryDetailsList = email === undefined || email === user.email ? [] : [askToVerify(user, email)];
      directory.update(user, names);
      return { CodeDeliveryDetailsList };
    },

    async GetUserAttributeVerificationCode(input: unknown): Promise<object> {
      const { user, given } = await read(OfAttribute, input);
      assertEmail(given.AttributeName);
      return { CodeDeliveryDetails: askToVerify(user, wanted.get(user.sub) ?? user.email) };
    },

    async VerifyUserAttribute(input: unknown): Promise<object> {
      const { user, given } = await read(VerifyUserAttribute, input);
      assertEmail(given.AttributeName);
      mailbox.take(user, "email", given.Code);
      const email = wanted.get(user.sub) ?? user.email;
      if (isTaken(directory, user, email))
        throw new Refusal("AliasExistsException", "An account with the email already exists.");
      wanted.delete(user.sub);
      directory.update(user, { email, email_verified: true });
      return {};
    },

    async ChangePassword(input: unknown): Promise<object> {
      const { user, given } = await read(ChangePassword, input);
      // Cognito names it so.
      if (!given.PreviousPassword) throw missingParameter("OldPassword");
      if (!directory.hasPassword(user, given.PreviousPassword)) throw wrongCredentials();
      assertPassword(given.ProposedPassword);
      directory.setPassword(user, given.ProposedPassword);
      return {};
    },
  };
}

/** What `GetUser` and `AdminGetUser` say of a user's account and authenticator app. */
export const accountOf = (user: User) => ({
  Username: user.username,
  UserAttributes: listed(user),
  ...(user.has_totp && { UserMFASettingList: ["SOFTWARE_TOKEN_MFA"], PreferredMfaSetting: "SOFTWARE_TOKEN_MFA" }),
});

function isTaken(directory: Directory, user: User, email: string): boolean {
  const holder = directory.named(email);
  return holder !== undefined && holder.sub !== user.sub;
}

function assertEmail(name: string): void {
  if (name !== "email") throw invalidParameter(`Attribute ${name} cannot be verified`);
}
