import type { Ask } from "./cognito.ts";
import { attributesOf, type CodeSent, type Names, sentOf } from "./sign-up.ts";

/** Changes the account of a signed-in person, by their access token. */
export type Account = {
  /** Changes the given names. An empty text removes a name. */
  readonly changeName: (accessToken: string, names: Names) => Promise<void>;
  /**
   * Sends a code to a new email address. The old address stays in use until `confirmEmail`.
   * @throws SignInError `AliasExistsException` if another account has the address
   */
  readonly changeEmail: (accessToken: string, email: string) => Promise<CodeSent>;
  /** Confirms the new email address with the code. @throws SignInError `CodeMismatchException`, `ExpiredCodeException` */
  readonly confirmEmail: (accessToken: string, code: string) => Promise<void>;
  /**
   * Changes the password. Other sessions of the person continue.
   * @throws SignInError `NotAuthorizedException` for a wrong old password, `InvalidPasswordException`
   */
  readonly changePassword: (accessToken: string, oldPassword: string, newPassword: string) => Promise<void>;
};

export function accountOf(ask: Ask): Account {
  return {
    async changeName(AccessToken, names) {
      await ask("UpdateUserAttributes", { AccessToken, UserAttributes: attributesOf(names) });
    },
    async changeEmail(AccessToken, email) {
      const { CodeDeliveryDetailsList: [CodeDeliveryDetails = {}] = [] } = await ask("UpdateUserAttributes", {
        AccessToken,
        UserAttributes: [{ Name: "email", Value: email }],
      });
      return sentOf({ CodeDeliveryDetails });
    },
    async confirmEmail(AccessToken, Code) {
      await ask("VerifyUserAttribute", { AccessToken, AttributeName: "email", Code });
    },
    async changePassword(AccessToken, PreviousPassword, ProposedPassword) {
      await ask("ChangePassword", { AccessToken, PreviousPassword, ProposedPassword });
    },
  };
}
