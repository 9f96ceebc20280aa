import { useState } from "preact/hooks";
import { useClub } from "./context.ts";
import type { SignInError } from "./odis.ts";
import { Action, Code, Email, Form, Password } from "./parts.tsx";
import { LocalCode, SubView } from "./sub-view.tsx";

type Props = {
  /** The address to which a code was sent before. */
  readonly email?: string | undefined;
};

/** Replaces a forgotten password by a code. */
export function Forgotten({ email: sentTo }: Props) {
  const { accounts, go } = useClub();
  const [email, setEmail] = useState(sentTo);
  if (email === undefined)
    return (
      <SubView title="Forgot your password?">
        <p>We send a code to your email address.</p>
        <Form
          key="ask"
          button="Send the code"
          onSubmit={async ({ email: address = "" }) => {
            try {
              await accounts.forgotPassword(address);
              setEmail(address);
            } catch (error) {
              if ((error as Partial<SignInError>).code !== "InvalidParameterException") throw error;
              // Cognito sends no code for a new password to an address that was never confirmed.
              await accounts.resendCode(address);
              go("confirm", "Your account is not confirmed yet.", address);
            }
          }}
        >
          <Email />
        </Form>
      </SubView>
    );
  return (
    <SubView title="Set a new password">
      <p>If there is an account for {email}, it has got a code.</p>
      <p>An account that was never confirmed gets one when you sign in.</p>
      <LocalCode />
      <Form
        key="reset"
        button="Set the password"
        onSubmit={async ({ code = "", password = "" }) => {
          await accounts.resetPassword(email, code, password);
          go("sign_in", "Your new password is set. Sign in with it.");
        }}
      >
        <Code />
        <Password label="New password" isNew />
      </Form>
      <Action class="link" done="Sent." onClick={() => accounts.forgotPassword(email)}>
        Send it again
      </Action>
    </SubView>
  );
}
