import { useState } from "preact/hooks";
import { useClub } from "./context.ts";
import type { SignInError, SignInStep } from "./odis.ts";
import { Code, Email, Form, Link, Notice, Password } from "./parts.tsx";
import { SubView } from "./sub-view.tsx";
import { type Challenge, useProceed } from "./use-proceed.ts";

/** Sign-in, with what can follow the password: a challenge, or the code of an account that was never confirmed. */
export function SignIn() {
  const { accounts, go } = useClub();
  const proceed = useProceed();
  const [challenge, setChallenge] = useState<Challenge>();
  async function signIn({ email = "", password = "" }): Promise<void> {
    try {
      setChallenge(await proceed(accounts.signIn(email, password), email));
    } catch (error) {
      if ((error as Partial<SignInError>).code !== "UserNotConfirmedException") throw error;
      await accounts.resendCode(email);
      go("confirm", undefined, email, password);
    }
  }

  if (challenge)
    return <Answer challenge={challenge} onAnswer={async (answer) => setChallenge(await proceed(answer, ""))} />;
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

type AnswerProps = { readonly challenge: Challenge; readonly onAnswer: (answer: Promise<SignInStep>) => Promise<void> };

function Answer({ challenge, onAnswer }: AnswerProps) {
  const isPassword = challenge.status === "new_password_required";
  return (
    <SubView title={isPassword ? "Choose a new password" : "Enter your code"}>
      {challenge.status === "totp_setup_required" && (
        <Notice>
          Add this key to your authenticator app: <code>{challenge.secret}</code>
        </Notice>
      )}
      <Form key={challenge.status} button="Continue" onSubmit={({ answer = "" }) => onAnswer(challenge.answer(answer))}>
        {isPassword ? (
          <Password label="New password" name="answer" isNew />
        ) : (
          <Code label="Code from your authenticator app" name="answer" />
        )}
      </Form>
    </SubView>
  );
}
