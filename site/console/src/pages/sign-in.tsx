import { useEffect, useRef, useState } from "preact/hooks";
import { SignInError, type SignInStep } from "../data/odis.ts";
import { problemText } from "../data/problem-text.ts";
import { Button } from "../parts/button.tsx";
import { emailError } from "../parts/checks.ts";
import type { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { Notice } from "../parts/states.tsx";
import { useSession } from "../session.tsx";
import { type Challenge, ChallengeForm } from "./sign-in-challenge.tsx";
import { ConfirmForm, SignUpForm } from "./sign-up.tsx";

type Step =
  | { readonly at: "start"; readonly note?: string }
  | { readonly at: "challenge"; readonly challenge: Challenge }
  | { readonly at: "sign_up" }
  | { readonly at: "confirm"; readonly email: string; readonly password?: string; readonly note?: string }
  | { readonly at: "forgotten" }
  | { readonly at: "reset"; readonly email: string; readonly note?: string };

const titles = {
  start: "Sign in",
  challenge: "One more step",
  sign_up: "Create an account",
  confirm: "Check your email",
  forgotten: "Reset your password",
  reset: "Choose a new password",
} as const;

const emailField: Field = { name: "email", label: "Email", kind: "email", autocomplete: "username" };
const codeOf = (error: unknown) => (error instanceof SignInError ? error.code : undefined);
const text = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

export function SignInPage() {
  const { accounts, begin, hasEnded } = useSession();
  const [step, setStep] = useState<Step>({ at: "start" });
  const heading = useRef<HTMLHeadingElement>(null);
  const title = titles[step.at];
  useEffect(() => {
    document.title = `${title} · Odis console`;
    if (step.at !== "start") heading.current?.focus();
  }, [step]);

  const take = async (next: SignInStep): Promise<void> => {
    if (next.status === "signed_in") await begin(next.session);
    else setStep({ at: "challenge", challenge: next });
  };
  const signIn = async (email: string, password: string): Promise<void> => {
    try {
      await take(await accounts.signIn(email, password));
    } catch (error) {
      const code = codeOf(error);
      const note = problemText(error);
      if (code === "UserNotConfirmedException") {
        await accounts.resendCode(email);
        setStep({ at: "confirm", email, password, note });
      } else if (code === "UnprovenAccount") await sendCode(email, note);
      else if (code === "PasswordResetRequiredException") setStep({ at: "reset", email, note });
      else throw error;
    }
  };
  /** Sends a code for a new password, or one that confirms the account if it was never confirmed. */
  const sendCode = async (email: string, note?: string): Promise<void> => {
    try {
      await accounts.forgotPassword(email);
      setStep({ at: "reset", email, ...(note !== undefined && { note }) });
    } catch (error) {
      if (codeOf(error) !== "InvalidParameterException") throw error;
      await accounts.resendCode(email);
      setStep({ at: "confirm", email });
    }
  };
  /** Signs in once the account is confirmed. If the password is unknown or wrong, leads to a new one. */
  const signInConfirmed = async (email: string, password: string | undefined): Promise<void> => {
    const chooseNew = () => sendCode(email, "Your account is confirmed. Choose a new password.");
    if (password === undefined) return chooseNew();
    await signIn(email, password).catch((error: unknown) => {
      if (codeOf(error) !== "NotAuthorizedException") throw error;
      return chooseNew();
    });
  };
  const onBack = (): void => setStep({ at: "start" });

  return (
    <main class="alone">
      <p class="brand">Odis</p>
      <div class="card sign-in">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {step.at === "start" && hasEnded && (
          <Notice tone="warning" role="status" title="Your session has ended">
            <p>
              Sign in again to continue where you left off. Most of what you entered in a form is there when you open
              the form again.
            </p>
          </Notice>
        )}
        {"note" in step && step.note !== undefined && <Notice role="status" title={step.note} />}
        {step.at === "start" && (
          <>
            <Form
              key="start"
              fields={[
                emailField,
                { name: "password", label: "Password", kind: "password", autocomplete: "current-password" },
              ]}
              opened={{ values: { email: "", password: "" } }}
              submit="Sign in"
              check={({ email, password }) => ({
                email: emailError(email),
                password: password === "" ? "Enter your password." : undefined,
              })}
              send={async (_, __, { email, password }) => signIn(text(email), String(password))}
            />
            <Button tone="quiet" onClick={() => setStep({ at: "forgotten" })}>
              Forgot your password?
            </Button>
            <Button tone="quiet" onClick={() => setStep({ at: "sign_up" })}>
              Create an account
            </Button>
          </>
        )}
        {step.at === "challenge" && (
          <ChallengeForm key={step.challenge.status} challenge={step.challenge} take={take} onBack={onBack} />
        )}
        {step.at === "sign_up" && (
          <SignUpForm onSent={(account) => setStep({ at: "confirm", ...account })} onBack={onBack} />
        )}
        {step.at === "confirm" && (
          <ConfirmForm
            email={step.email}
            onConfirmed={() => signInConfirmed(step.email, step.password)}
            onBack={onBack}
          />
        )}
        {step.at === "forgotten" && (
          <Form
            key="forgotten"
            fields={[emailField]}
            opened={{ values: { email: "" } }}
            submit="Send the code"
            explain={() => (
              <p>
                If the account exists, you get an email with a code. An account that was never confirmed gets one when
                you sign in.
              </p>
            )}
            check={({ email }) => ({ email: emailError(email) })}
            send={async (_, __, { email }) => sendCode(text(email))}
            cancel="Back"
            onCancel={onBack}
          />
        )}
        {step.at === "reset" && (
          <Form
            key="reset"
            fields={[
              { name: "code", label: "Code from the email", kind: "code", autocomplete: "one-time-code" },
              { name: "password", label: "New password", kind: "password", autocomplete: "new-password" },
            ]}
            opened={{ values: { code: "", password: "" } }}
            submit="Set the password"
            send={async (_, __, { code, password }) => {
              await accounts.resetPassword(step.email, text(code), String(password));
              await signIn(step.email, String(password)).catch(() =>
                setStep({ at: "start", note: "Your new password is set. Sign in with it." }),
              );
            }}
            cancel="Back"
            onCancel={onBack}
          />
        )}
      </div>
    </main>
  );
}
