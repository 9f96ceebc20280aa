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

type Step =
  | { readonly at: "start"; readonly note?: string }
  | { readonly at: "challenge"; readonly challenge: Challenge }
  | { readonly at: "forgotten" }
  | { readonly at: "reset"; readonly email: string; readonly note?: string };

const titles = {
  start: "Sign in",
  challenge: "One more step",
  forgotten: "Reset your password",
  reset: "Choose a new password",
} as const;

const emailField: Field = { name: "email", label: "Email", kind: "email", autocomplete: "username" };
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
      if (!(error instanceof SignInError && error.code === "PasswordResetRequiredException")) throw error;
      setStep({ at: "reset", email, note: problemText(error) });
    }
  };

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
          </>
        )}
        {step.at === "challenge" && (
          <ChallengeForm
            key={step.challenge.status}
            challenge={step.challenge}
            take={take}
            onBack={() => setStep({ at: "start" })}
          />
        )}
        {step.at === "forgotten" && (
          <Form
            key="forgotten"
            fields={[emailField]}
            opened={{ values: { email: "" } }}
            submit="Send the code"
            explain={() => <p>If the account exists, you get an email with a code.</p>}
            check={({ email }) => ({ email: emailError(email) })}
            send={async (_, __, { email }) => {
              await accounts.forgotPassword(text(email));
              setStep({ at: "reset", email: text(email) });
            }}
            cancel="Back"
            onCancel={() => setStep({ at: "start" })}
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
              setStep({ at: "start", note: "Your new password is set. Sign in with it." });
            }}
            cancel="Back"
            onCancel={() => setStep({ at: "start" })}
          />
        )}
      </div>
    </main>
  );
}
