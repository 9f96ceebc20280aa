import { SignInError, type SignInStep } from "@odis/client";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session.tsx";

/** A path of this app; anything else would lead people to where a link wants them. */
export const pathOf = (to: string | undefined): string => (to?.startsWith("/") && !to.startsWith("//") ? to : "/");

export function SignInPage() {
  const { accounts, deployment, session } = useSession();
  const { query, route } = useLocation();
  const [step, setStep] = useState<SignInStep>();
  const to = pathOf(query.to);

  const proceed = async (next: SignInStep): Promise<void> => {
    if (next.status !== "signed_in") return setStep(next);
    await session.begin(next.session);
    route(to, true);
  };
  const signIn = async ({ email = "", password = "" }): Promise<void> => {
    try {
      await proceed(await accounts.signIn(email, password));
    } catch (error) {
      if (!(error instanceof SignInError && error.code === "UserNotConfirmedException")) throw error;
      await accounts.resendCode(email);
      route(`/sign-up?email=${encodeURIComponent(email)}&to=${encodeURIComponent(to)}`);
    }
  };

  if (step && step.status !== "signed_in") return <Challenge step={step} onAnswer={proceed} />;
  return (
    <Page title="Welcome back" kind="narrow" lead="Sign in to your memberships.">
      {query.reset !== undefined && <Notice kind="good">Your new password is set. Sign in with it.</Notice>}
      {deployment.stage === "local" && (
        <Notice>
          On the local stack, <code>member@example.com</code> signs in with <code>Odis-local-1</code>.
        </Notice>
      )}
      <Form button="Sign in" onSubmit={signIn}>
        <Field label="E-mail" name="email" type="email" autoComplete="username" />
        <Field label="Password" name="password" type="password" autoComplete="current-password" />
      </Form>
      <p class="links">
        <a href="/forgotten">Forgot your password?</a>
        <a href={`/sign-up?to=${encodeURIComponent(to)}`}>Create an account</a>
      </p>
    </Page>
  );
}

type Asked = Exclude<SignInStep, { status: "signed_in" }>;
type ChallengeProps = { readonly step: Asked; readonly onAnswer: (next: SignInStep) => Promise<void> };

/** What the sign-in asks for after the password. */
function Challenge({ step, onAnswer }: ChallengeProps) {
  const submit = async ({ answer = "" }): Promise<void> => onAnswer(await step.answer(answer));
  const isPassword = step.status === "new_password_required";
  return (
    <Page title={isPassword ? "Choose a new password" : "Enter your code"} kind="narrow">
      {step.status === "totp_setup_required" && (
        <Notice>
          Add this key to your authenticator app: <code>{step.secret}</code>
        </Notice>
      )}
      <Form button="Continue" onSubmit={submit}>
        {isPassword ? (
          <Field label="New password" name="answer" type="password" autoComplete="new-password" />
        ) : (
          <Field label="Code from your authenticator app" name="answer" autoComplete="one-time-code" isCode />
        )}
      </Form>
    </Page>
  );
}
