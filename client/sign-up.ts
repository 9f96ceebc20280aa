import type { Answer, Ask } from "./cognito.ts";

/** Where Cognito sends a code, abbreviated: `a***@e***`. Empty if it does not say so. */
export type CodeSent = { readonly destination: string };

export type Names = { readonly firstName?: string; readonly lastName?: string };

/** Creates accounts and resets forgotten passwords. The username is the e-mail address. */
export type SignUp = {
  /**
   * Creates an account and sends a code to the address. The person can sign in after `confirmSignUp`.
   * @throws SignInError `UsernameExistsException`, `InvalidPasswordException`, `InvalidParameterException`
   */
  readonly signUp: (email: string, password: string, names?: Names) => Promise<CodeSent>;
  /**
   * Confirms an account with the code.
   * @throws SignInError `CodeMismatchException`, `ExpiredCodeException`, `NotAuthorizedException` if already confirmed
   */
  readonly confirmSignUp: (email: string, code: string) => Promise<void>;
  /** Sends the sign-up code again. @throws SignInError `LimitExceededException` */
  readonly resendCode: (email: string) => Promise<CodeSent>;
  /**
   * Sends a code for `resetPassword`. The response does not reveal whether the account exists.
   * @throws SignInError `LimitExceededException`
   */
  readonly forgotPassword: (email: string) => Promise<CodeSent>;
  /** Sets a new password. @throws SignInError `CodeMismatchException`, `ExpiredCodeException`, `InvalidPasswordException` */
  readonly resetPassword: (email: string, code: string, newPassword: string) => Promise<void>;
};

export function signUpOf(ask: Ask, ClientId: string): SignUp {
  const userOf = (Username: string) => ({ ClientId, Username });
  return {
    async signUp(email, Password, names = {}) {
      const named = attributesOf(names).filter(({ Value }) => Value);
      const UserAttributes = [{ Name: "email", Value: email }, ...named];
      return sentOf(await ask("SignUp", { ...userOf(email), Password, UserAttributes }));
    },
    async confirmSignUp(email, ConfirmationCode) {
      await ask("ConfirmSignUp", { ...userOf(email), ConfirmationCode });
    },
    async resendCode(email) {
      return sentOf(await ask("ResendConfirmationCode", userOf(email)));
    },
    async forgotPassword(email) {
      return sentOf(await ask("ForgotPassword", userOf(email)));
    },
    async resetPassword(email, ConfirmationCode, Password) {
      await ask("ConfirmForgotPassword", { ...userOf(email), ConfirmationCode, Password });
    },
  };
}

/** The given names as attributes of Cognito. */
export const attributesOf = ({ firstName, lastName }: Names): { Name: string; Value: string }[] =>
  Object.entries({ given_name: firstName, family_name: lastName }).flatMap(([Name, Value]) =>
    Value === undefined ? [] : [{ Name, Value }],
  );

export const sentOf = ({ CodeDeliveryDetails: { Destination = "" } = {} }: Answer): CodeSent => ({
  destination: Destination,
});
