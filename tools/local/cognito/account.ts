import * as v from "valibot";
import { assertWritable, attributesOf, listed } from "./attributes.ts";
import { deliveryTo, type Mailbox } from "./mailbox.ts";
import { assertPassword } from "./passwords.ts";
import { invalidParameter, missingParameter, Refusal, wrongCredentials } from "./refusal.ts";
import { accessTokenOf, type Tokens } from "./tokens.ts";
import type { Directory, User } from "./users.ts";

type AccountServices = { readonly directory: Directory; readonly tokens: Tokens; readonly mailbox: Mailbox };

const Attributes = v.object({ UserAttributes: v.array(v.object({ Name: v.string(), Value: v.string() })) });
const OfAttribute = v.object({ AttributeName: v.string() });
const VerifyUserAttribute = v.object({ ...OfAttribute.entries, Code: v.string() });
const ChangePassword = v.object({ PreviousPassword: v.optional(v.string()), ProposedPassword: v.string() });

/**
 * Operations of people on their own account.
 *
 * @see https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_GetUser.html
 */
export function accountOperations({ directory, tokens, mailbox }: AccountServices) {
  /**
   * New email addresses that are not verified yet, by `sub`. A user keeps the old address until the new one is
   * verified.
   */
  const unverified = new Map<string, string>();

  const read = async <S extends v.GenericSchema>(schema: S, input: unknown) => ({
    user: (await tokens.ownerOf(accessTokenOf(input))).user,
    request: v.parse(schema, input),
  });

  const askToVerify = (user: User, email: string) => {
    if (isTaken(directory, user, email))
      throw new Refusal("AliasExistsException", "An account with the email already exists.");
    unverified.set(user.sub, email);
    mailbox.send(user, "email");
    return deliveryTo(email);
  };

  return {
    async GetUser(input: unknown): Promise<object> {
      return accountOf((await tokens.ownerOf(accessTokenOf(input))).user);
    },

    async UpdateUserAttributes(input: unknown): Promise<object> {
      const { user, request } = await read(Attributes, input);
      assertWritable(request.UserAttributes);
      const { email, ...names } = attributesOf(request.UserAttributes);
      const CodeDeliveryDetailsList = email === undefined || email === user.email ? [] : [askToVerify(user, email)];
      directory.update(user, names);
      return { CodeDeliveryDetailsList };
    },

    async GetUserAttributeVerificationCode(input: unknown): Promise<object> {
      const { user, request } = await read(OfAttribute, input);
      assertEmail(request.AttributeName);
      return { CodeDeliveryDetails: askToVerify(user, unverified.get(user.sub) ?? user.email) };
    },

    async VerifyUserAttribute(input: unknown): Promise<object> {
      const { user, request } = await read(VerifyUserAttribute, input);
      assertEmail(request.AttributeName);
      mailbox.take(user, "email", request.Code);
      const email = unverified.get(user.sub) ?? user.email;
      if (isTaken(directory, user, email))
        throw new Refusal("AliasExistsException", "An account with the email already exists.");
      unverified.delete(user.sub);
      directory.update(user, { email, email_verified: true });
      return {};
    },

    async ChangePassword(input: unknown): Promise<object> {
      const { user, request } = await read(ChangePassword, input);
      // Cognito's error names the parameter `OldPassword`.
      if (!request.PreviousPassword) throw missingParameter("OldPassword");
      if (!directory.hasPassword(user, request.PreviousPassword)) throw wrongCredentials();
      assertPassword(request.ProposedPassword);
      directory.setPassword(user, request.ProposedPassword);
      return {};
    },
  };
}

/** The account and authenticator app of a user in the responses of `GetUser` and `AdminGetUser`. */
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
