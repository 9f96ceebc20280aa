import { useClub } from "./context.ts";
import { SignInError } from "./odis.ts";
import { Action, Code, Form } from "./parts.tsx";
import { LocalCode, SubView } from "./sub-view.tsx";

type Props = { readonly email: string; readonly password: string };

/** Asks for the code that confirms a new account, then signs in. */
export function Confirm({ email, password }: Props) {
  const { accounts, session, go, enter } = useClub();
  async function confirm({ code = "" }): Promise<void> {
    await accounts.confirmSignUp(email, code).catch((error: unknown) => {
      // The account was confirmed before. The sign-in decides.
      if (!(error instanceof SignInError && error.code === "NotAuthorizedException")) throw error;
    });
    const step = await accounts.signIn(email, password);
    if (step.status !== "signed_in") return go("sign_in");
    await session.begin(step.session);
    await enter();
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
