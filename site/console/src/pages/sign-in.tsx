import { useEffect, useRef, useState } from "preact/hooks";
import type { SignInStep } from "../data/odis.ts";
import { Button } from "../parts/button.tsx";
import { Form } from "../parts/form.tsx";
import { Notice } from "../parts/states.tsx";
import { useSession } from "../session.tsx";

type Challenge = Exclude<SignInStep, { readonly status: "signed_in" }>;
type Step =
  | { readonly at: "start"; readonly note?: string }
  | { readonly at: "challenge"; readonly challenge: Challenge }
  | { readonly at: "forgotten" }
  | { readonly at: "reset"; readonly email: string };

const titles = {
  start: "Sign in",
  challenge: "One more step",
  forgotten: "Reset your password",
  reset: "Choose a new password",
} as const;

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

  return (
    <main class="alone">
      <p class="brand">Odis</p>
      <div class="card sign-in">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {step.at === "start" && hasEnded && (
          <Notice tone="warning" role="status" title="Your session has ended">
            <p>Sign in again to continue where you were. Changes that you had not saved are gone.</p>
          </Notice>
        )}
        {step.at === "start" && step.note !== undefined && <Notice role="status" title={step.note} />}
        {step.at === "start" && (
          <>
            <Form
              key="start"
              fields={[
                { name: "email", label: "Email", kind: "email", autocomplete: "username" },
                { name: "password", label: "Password", kind: "password", autocomplete: "current-password" },
              ]}
              opened={{ values: { email: "", password: "" } }}
              submit="Sign in"
              check={({ email, password }) => ({
                email: text(email) === "" ? "Enter your email address." : undefined,
                password: password === "" ? "Enter your password." : undefined,
              })}
              send={async (_, __, { email, password }) => take(await accounts.signIn(text(email), String(password)))}
            />
            <Button tone="quiet" onClick={() => setStep({ at: "forgotten" })}>
              Forgot your password?
            </Button>
          </>
        )}
        {step.at === "challenge" && (
          <ChallengeForm key={step.challenge.status} challenge={step.challenge} take={take} />
        )}
        {step.at === "forgotten" && (
          <Form
            key="forgotten"
            fields={[{ name: "email", label: "Email", kind: "email", autocomplete: "username" }]}
            opened={{ values: { email: "" } }}
            submit="Send the code"
            explain={() => <p>If the account exists, you get an email with a code.</p>}
            check={({ email }) => ({ email: text(email) === "" ? "Enter your email address." : undefined })}
            send={async (_, __, { email }) => {
              await accounts.forgotPassword(text(email));
              setStep({ at: "reset", email: text(email) });
            }}
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
            onCancel={() => setStep({ at: "start" })}
          />
        )}
      </div>
    </main>
  );
}

type ChallengeProps = { readonly challenge: Challenge; readonly take: (next: SignInStep) => Promise<void> };

function ChallengeForm({ challenge, take }: ChallengeProps) {
  if (challenge.status === "new_password_required")
    return (
      <Form
        fields={[{ name: "password", label: "New password", kind: "password", autocomplete: "new-password" }]}
        opened={{ values: { password: "" } }}
        submit="Set the password"
        explain={() => <p>Your password was chosen by somebody else. Choose one that only you know.</p>}
        send={async (_, __, { password }) => take(await challenge.answer(String(password)))}
      />
    );
  return (
    <>
      {challenge.status === "totp_setup_required" && <Secret secret={challenge.secret} address={challenge.address} />}
      <Form
        fields={[
          { name: "code", label: "Code of your authenticator app", kind: "code", autocomplete: "one-time-code" },
        ]}
        opened={{ values: { code: "" } }}
        submit="Continue"
        check={({ code }) => ({ code: /^\d{6}$/.test(text(code)) ? undefined : "The code has six digits." })}
        send={async (_, __, { code }) => take(await challenge.answer(text(code)))}
      />
    </>
  );
}

/** What a person enters into an authenticator app. */
export function Secret({ secret, address }: { readonly secret: string; readonly address: string }) {
  return (
    <div class="secret">
      <p>Add an account to your authenticator app with this key, then enter the code that the app shows.</p>
      <p>
        <code>{secret.replaceAll(/(.{4})/g, "$1 ").trim()}</code>
      </p>
      <p>
        <a href={address}>Open the app on this device</a>
      </p>
    </div>
  );
}
