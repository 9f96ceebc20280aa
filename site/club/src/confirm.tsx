import { useClub } from "./context.ts";
import type { SignInError } from "./odis.ts";
import { Action, Code, Form } from "./parts.tsx";
import { LocalCode, SubView } from "./sub-view.tsx";
import { useProceed } from "./use-proceed.ts";

type Props = { readonly email?: string | undefined; readonly password?: string | undefined };

/** Asks for the code that confirms an account, then signs in. If the password is unknown or wrong, leads to a new one. */
export function Confirm({ email = "", password = "" }: Props) {
  const { accounts, go } = useClub();
  const proceed = useProceed();
  async function confirm({ code = "" }): Promise<void> {
    try {
      // The account may have been confirmed before. The sign-in decides.
      await accounts.confirmSignUp(email, code).catch(ignoreRefusal);
      if (await proceed(accounts.signIn(email, password), email)) go("sign_in");
    } catch (error) {
      ignoreRefusal(error);
      await accounts.forgotPassword(email);
      go("forgotten", "Now choose a new password.", email);
    }
  }
  return (
    <SubView title="Check your email">
      <p>We have sent a code to {email}.</p>
      <LocalCode />
      <Form button="Confirm" onSubmit={confirm}>
        <Code />
      </Form>
      <Action class="link" done="Sent." onClick={() => accounts.resendCode(email)}>
        Send it again
      </Action>
    </SubView>
  );
}

function ignoreRefusal(error: unknown): void {
  if ((error as Partial<SignInError>).code !== "NotAuthorizedException") throw error;
}
