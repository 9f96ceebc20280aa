import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { assertWritable, attributesOf } from "./attributes.ts";
import type { Pool } from "./claims.ts";
import { deliveryTo, type Mailbox, wrongCode } from "./mailbox.ts";
import { assertPassword } from "./passwords.ts";
import { invalidParameter, Refusal } from "./refusal.ts";
import { assertClient } from "./tokens.ts";
import { type ConfirmationEvent, confirmationEvent } from "./trigger.ts";
import type { Directory, User } from "./users.ts";

type SignUpServices = {
  readonly pool: Pool;
  readonly directory: Directory;
  readonly mailbox: Mailbox;
  readonly postConfirmation: (event: ConfirmationEvent) => Promise<unknown>;
};

const Named = v.object({ ClientId: v.string(), Username: v.string() });
const SignUp = v.object({
  ClientId: v.string(),
  Username: v.pipe(v.string(), v.email("Username should be an email.")),
  Password: v.string(),
  UserAttributes: v.optional(v.array(v.object({ Name: v.string(), Value: v.string() })), []),
});
const Confirm = v.object({ ...Named.entries, ConfirmationCode: v.string() });
const Reset = v.object({ ...Confirm.entries, Password: v.string() });

/**
 * The operations with which people create an account or reset a password. The code is 000000.
 * @see https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_SignUp.html
 */
export function signUpOperations({ pool, directory, mailbox, postConfirmation }: SignUpServices) {
  /** Returns the input of an operation that names a user, and the user. */
  function read<S extends v.GenericSchema<unknown, v.InferOutput<typeof Named>>>(schema: S, input: unknown) {
    const request: v.InferOutput<S> = v.parse(schema, input);
    assertClient(pool, request.ClientId);
    return { request, user: directory.named(request.Username) };
  }

  async function confirm(user: User, source: "ConfirmSignUp" | "ConfirmForgotPassword"): Promise<object> {
    directory.update(user, { status: "CONFIRMED", email_verified: true });
    try {
      await postConfirmation(confirmationEvent(pool, user, source));
    } catch (failure) {
      const message = failure instanceof Error ? failure.message : String(failure);
      throw new Refusal("UserLambdaValidationException", `PostConfirmation failed with error ${message}.`);
    }
    return {};
  }

  return {
    async SignUp(input: unknown): Promise<object> {
      const { ClientId, Username, Password: password, UserAttributes } = v.parse(SignUp, input);
      assertClient(pool, ClientId);
      assertPassword(password);
      const { email = Username, ...names } = attributesOf(UserAttributes);
      assertWritable(UserAttributes);
      if (directory.named(email)) throw new Refusal("UsernameExistsException", "User already exists");
      const sub = randomUUID();
      const status = "UNCONFIRMED";
      const user = directory.add({ ...names, sub, username: sub, password, email, status, email_verified: false });
      mailbox.send(user, "sign-up");
      return { UserConfirmed: false, UserSub: sub, CodeDeliveryDetails: deliveryTo(email) };
    },

    async ConfirmSignUp(input: unknown): Promise<object> {
      const { request, user } = read(Confirm, input);
      if (!user) throw wrongCode();
      if (user.status !== "UNCONFIRMED")
        throw new Refusal("NotAuthorizedException", `User cannot be confirmed. Current status is ${user.status}`);
      mailbox.take(user, "sign-up", request.ConfirmationCode);
      return confirm(user, "ConfirmSignUp");
    },

    async ResendConfirmationCode(input: unknown): Promise<object> {
      const { request, user } = read(Named, input);
      if (user && user.status !== "UNCONFIRMED") throw invalidParameter("User is already confirmed.");
      if (user) mailbox.send(user, "sign-up");
      return { CodeDeliveryDetails: deliveryTo(user?.email ?? request.Username) };
    },

    async ForgotPassword(input: unknown): Promise<object> {
      const { request, user } = read(Named, input);
      if (user?.status === "FORCE_CHANGE_PASSWORD")
        throw new Refusal("NotAuthorizedException", "User password cannot be reset in the current state.");
      if (user && !user.email_verified)
        throw invalidParameter(
          "Cannot reset password for the user as there is no registered/verified email or phone_number",
        );
      if (user) mailbox.send(user, "password");
      return { CodeDeliveryDetails: deliveryTo(user?.email ?? request.Username) };
    },

    async ConfirmForgotPassword(input: unknown): Promise<object> {
      const { request, user } = read(Reset, input);
      if (!user) throw wrongCode();
      assertPassword(request.Password);
      mailbox.take(user, "password", request.ConfirmationCode);
      directory.setPassword(user, request.Password);
      return confirm(user, "ConfirmForgotPassword");
    },
  };
}
