import { useState } from "preact/hooks";
import { Confirm } from "./confirm.tsx";
import { useClub } from "./context.ts";
import { SignInError, type SignInStep } from "./odis.ts";
import { Code, Email, Form, Link, Notice, Password } from "./parts.tsx";
import { SubView } from "./sub-view.tsx";

type Challenge = Exclude<SignInStep, { status: "signed_in" }>;

/** Sign-in, with what can follow the password: a challenge, or the code of an account that was never confirmed. */
export function SignIn() {
  const { accounts, session, go, enter } = useClub();
  const [challenge, setChallenge] = useState<Challenge>();
  const [unconfirmed, setUnconfirmed] = useState<{ readonly email: string; readonly password: string }>();

  async function proceed(step: SignInStep): Promise<void> {
    if (step.status !== "signed_in") return setChallenge(step);
    await session.begin(step.session);
    await enter();
  }
  async function signIn({ email = "", password = "" }): Promise<void> {
    try {
      await proceed(await accounts.signIn(email, password));
    } catch (error) {
      if (!(error instanceof SignInError && error.code === "UserNotConfirmedException")) throw error;
      await accounts.resendCode(email);
      setUnconfirmed({ email, password });
    }
  }

  if (unconfirmed) return <Confirm {...unconfirmed} />;
  if (challenge) return <Answer challenge={challenge} onAnswer={proceed} />;
  return (
    <SubView title="Welcome back">
      <Form button="Sign in" onSubmit={signIn}>
        <Email />
        <Password />
      </Form>
      <p class="links">
        <Link onClick={() => go("forgotten")}>Forgot your password?</Link>
        <Link onClick={() => go("sign_up")}>Create an account</Link>
      </p>
    </SubView>
  );
}

type AnswerProps = { readonly challenge: Challenge; readonly onAnswer: (next: SignInStep) => Promise<void> };

function Answer({ challenge, onAnswer }: AnswerProps) {
  const isPassword = challenge.status === "new_password_required";
  return (
    <SubView title={isPassword ? "Choose a new password" : "Enter your code"}>
      {challenge.status === "totp_setup_required" && (
        <Notice>
          Add this key to your authenticator app: <code>{challenge.secret}</code>
        </Notice>
      )}
      <Form
        key={challenge.status}
        button="Continue"
        onSubmit={async ({ answer = "" }) => onAnswer(await challenge.answer(answer))}
      >
        {isPassword ? (
          <Password label="New password" name="answer" isNew />
        ) : (
          <Code label="Code from your authenticator app" name="answer" />
        )}
      </Form>
    </SubView>
  );
}
