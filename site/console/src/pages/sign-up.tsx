import { SignInError } from "../data/odis.ts";
import { emailError } from "../parts/checks.ts";
import type { Value } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { useSession } from "../session.tsx";

export type NewAccount = { readonly email: string; readonly password: string };

const text = (value: Value | undefined): string => String(value ?? "").trim();

type SignUpProps = {
  /** Called once a code has been sent to the address. */
  readonly onSent: (account: NewAccount) => void;
  readonly onBack: () => void;
};

/** The form for a new account. If the account exists and is not confirmed, sends the code again. */
export function SignUpForm({ onSent, onBack }: SignUpProps) {
  const { accounts } = useSession();
  const signUp = async (email: string, password: string, names: { firstName: string; lastName: string }) => {
    try {
      await accounts.signUp(email, password, names);
    } catch (error) {
      if (!(error instanceof SignInError && error.code === "UsernameExistsException")) throw error;
      // Cognito sends a code again unless the account is confirmed.
      await accounts.resendCode(email).catch(() => Promise.reject(error));
    }
    onSent({ email, password });
  };
  return (
    <Form
      fields={[
        { name: "first", label: "First name", autocomplete: "given-name" },
        { name: "last", label: "Last name", autocomplete: "family-name" },
        { name: "email", label: "Email", kind: "email", autocomplete: "username" },
        {
          name: "password",
          label: "Password",
          kind: "password",
          autocomplete: "new-password",
          hint: "At least 12 characters, with an uppercase letter, a lowercase letter and a digit.",
        },
      ]}
      opened={{ values: { first: "", last: "", email: "", password: "" } }}
      submit="Create account"
      check={({ first, last, email, password }) => ({
        first: text(first) === "" ? "Enter your first name." : undefined,
        last: text(last) === "" ? "Enter your last name." : undefined,
        email: emailError(email),
        password: password === "" ? "Choose a password." : undefined,
      })}
      send={async (_, __, { first, last, email, password }) =>
        signUp(text(email), String(password), { firstName: text(first), lastName: text(last) })
      }
      cancel="Back"
      onCancel={onBack}
    />
  );
}

type ConfirmProps = {
  readonly email: string;
  /** Called once the account is confirmed. */
  readonly onConfirmed: () => Promise<void>;
  readonly onBack: () => void;
};

/** The form for the code that confirms an account. */
export function ConfirmForm({ email, onConfirmed, onBack }: ConfirmProps) {
  const { accounts } = useSession();
  return (
    <Form
      fields={[{ name: "code", label: "Code from the email", kind: "code", autocomplete: "one-time-code" }]}
      opened={{ values: { code: "" } }}
      submit="Confirm"
      explain={() => <p>We have sent a code to {email}.</p>}
      send={async (_, __, { code }) => {
        await accounts.confirmSignUp(email, text(code)).catch((error: unknown) => {
          // The account was confirmed before. The sign-in decides.
          if (!(error instanceof SignInError && error.code === "NotAuthorizedException")) throw error;
        });
        await onConfirmed();
      }}
      cancel="Back"
      onCancel={onBack}
    />
  );
}
