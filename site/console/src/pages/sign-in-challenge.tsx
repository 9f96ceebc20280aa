import type { SignInStep } from "../data/odis.ts";
import { Form } from "../parts/form.tsx";

export type Challenge = Exclude<SignInStep, { readonly status: "signed_in" }>;
type ChallengeProps = {
  readonly challenge: Challenge;
  readonly take: (next: SignInStep) => Promise<void>;
  /** Called to start the sign-in again, because a challenge expires after a few minutes. */
  readonly onBack: () => void;
};

/** The form for a further step of the sign-in: a new password, or the code of an authenticator app. */
export function ChallengeForm({ challenge, take, onBack }: ChallengeProps) {
  if (challenge.status === "new_password_required")
    return (
      <Form
        fields={[{ name: "password", label: "New password", kind: "password", autocomplete: "new-password" }]}
        opened={{ values: { password: "" } }}
        submit="Set the password"
        explain={() => <p>Your current password was set by an admin. Choose a new one.</p>}
        send={async (_, __, { password }) => take(await challenge.answer(String(password)))}
        cancel="Back"
        onCancel={onBack}
      />
    );
  return (
    <>
      {challenge.status === "totp_setup_required" && <Secret secret={challenge.secret} address={challenge.address} />}
      <Form
        fields={[
          { name: "code", label: "Code from your authenticator app", kind: "code", autocomplete: "one-time-code" },
        ]}
        opened={{ values: { code: "" } }}
        submit="Continue"
        check={({ code }) => ({ code: /^\d{6}$/.test(String(code).trim()) ? undefined : "Enter the six-digit code." })}
        send={async (_, __, { code }) => take(await challenge.answer(String(code).trim()))}
        cancel="Back"
        onCancel={onBack}
      />
    </>
  );
}

/** The secret for an authenticator app. */
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
