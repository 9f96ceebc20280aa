import { useClub } from "./context.ts";
import type { SignInError } from "./odis.ts";
import { Action, Code, Form } from "./parts.tsx";
import { LocalCode, SubView } from "./sub-view.tsx";
import { useProceed } from "./use-proceed.ts";

type Props = { readonly email: string; readonly password: string };

/** Asks for the code that confirms a new account, then signs in. */
export function Confirm({ email, password }: Props) {
  const { accounts, go } = useClub();
  const proceed = useProceed();
  async function confirm({ code = "" }): Promise<void> {
    await accounts.confirmSignUp(email, code).catch((error: unknown) => {
      // The account was confirmed before. The sign-in decides.
      if ((error as Partial<SignInError>).code !== "NotAuthorizedException") throw error;
    });
    if (await proceed(accounts.signIn(email, password), email)) go("sign_in");
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
