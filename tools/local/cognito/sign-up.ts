import { randomUUID } from "node:crypto";
import * as v from "valibot";
import type { Pool } from "./claims.ts";
import { type Outcome, refused } from "./outcome.ts";
import { type ConfirmationEvent, confirmationEvent } from "./trigger.ts";
import type { Directory, User } from "./users.ts";

export type Parts = {
  readonly pool: Pool;
  readonly directory: Directory;
  readonly postConfirmation: (event: ConfirmationEvent) => Promise<unknown>;
};

/** The one code that a mailbox gets here. */
const code = "000000";

const Attributes = v.optional(v.array(v.object({ Name: v.string(), Value: v.string() })), []);
const SignUp = v.object({ Username: v.pipe(v.string(), v.email()), Password: v.string(), UserAttributes: Attributes });
const OfUser = v.object({ Username: v.string() });
const Confirm = v.object({ ...OfUser.entries, ConfirmationCode: v.string() });
const Reset = v.object({ ...Confirm.entries, Password: v.string() });

/**
 * How people open an account and set a new password, with the code 000000.
 *
 * @see https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_SignUp.html
 */
export function signUpOperations({ pool, directory, postConfirmation }: Parts) {
  const delivery = { AttributeName: "email", DeliveryMedium: "EMAIL", Destination: "your mailbox" };
  const confirmed = async (user: User, source: "ConfirmSignUp" | "ConfirmForgotPassword"): Promise<Outcome> => {
    directory.setStatus(user, "CONFIRMED");
    try {
      await postConfirmation(confirmationEvent(pool, user, source));
    } catch (failure) {
      const message = failure instanceof Error ? failure.message : String(failure);
      return refused("UserLambdaValidationException", `PostConfirmation failed with error ${message}.`);
    }
    return { status: 200, body: {} };
  };

  return {
    async SignUp(input: unknown): Promise<Outcome> {
      const { Username: email, Password: password, UserAttributes } = v.parse(SignUp, input);
      if (directory.find(email)) return refused("UsernameExistsException", "User already exists");
      const { given_name, family_name } = Object.fromEntries(UserAttributes.map(({ Name, Value }) => [Name, Value]));
      const sub = randomUUID();
      await directory.add({
        sub,
        username: sub,
        password,
        email,
        status: "UNCONFIRMED",
        ...(given_name !== undefined && { given_name }),
        ...(family_name !== undefined && { family_name }),
      });
      return { status: 200, body: { UserConfirmed: false, UserSub: sub, CodeDeliveryDetails: delivery } };
    },

    async ConfirmSignUp(input: unknown): Promise<Outcome> {
      const { Username, ConfirmationCode } = v.parse(Confirm, input);
      const user = directory.find(Username);
      if (!user || ConfirmationCode !== code) return wrongCode;
      if (user.status !== "UNCONFIRMED")
        return refused("NotAuthorizedException", `User cannot be confirmed. Current status is ${user.status}`);
      return confirmed(user, "ConfirmSignUp");
    },

    async ForgotPassword(input: unknown): Promise<Outcome> {
      v.parse(OfUser, input);
      return { status: 200, body: { CodeDeliveryDetails: delivery } };
    },

    async ConfirmForgotPassword(input: unknown): Promise<Outcome> {
      const { Username, ConfirmationCode, Password: password } = v.parse(Reset, input);
      const user = directory.find(Username);
      if (!user || ConfirmationCode !== code) return wrongCode;
      return confirmed(await directory.add({ ...user, password }), "ConfirmForgotPassword");
    },
  };
}

const wrongCode = refused("CodeMismatchException", "Invalid verification code provided, please try again.");
