import { useState } from "preact/hooks";
import { useClub } from "./context.ts";
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
          onSubmit={async (fields) => {
            await accounts.forgotPassword(fields.email ?? "");
            setEmail(fields.email);
          }}
        >
          <Email />
        </Form>
      </SubView>
    );
  return (
    <SubView title="Set a new password">
      <p>If there is an account for {email}, it has got a code.</p>
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
