import type { ErasureAnswer } from "@odis/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { messageOf, useSession } from "../session.tsx";
import { useAction } from "../use-request.ts";
import { Field } from "./field.tsx";
import { Form } from "./form.tsx";
import { Notice } from "./notice.tsx";

const Section = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <details>
    <summary>{title}</summary>
    {children}
  </details>
);

/** Name, email address, password, and the end of the account. */
export function AccountSettings() {
  const { session, user, reloadUser } = useSession();
  const [sentTo, setSentTo] = useState<string>();
  const [done, setDone] = useState("");
  const changed = (what: string): void => {
    setDone(`${what} was changed.`);
    reloadUser();
  };
  return (
    <>
      {done && <Notice kind="good">{done}</Notice>}
      <Section title="Name">
        <Form
          button="Change name"
          onSubmit={async ({ first = "", last = "" }) => {
            await session.changeName({ firstName: first, lastName: last });
            changed("Your name");
          }}
        >
          <Field label="First name" name="first" autoComplete="given-name" value={user?.first_name} />
          <Field label="Last name" name="last" autoComplete="family-name" value={user?.last_name} />
        </Form>
      </Section>
      <Section title="E-mail">
        {sentTo === undefined ? (
          <Form
            button="Send a code"
            onSubmit={async ({ email = "" }) => {
              await session.changeEmail(email);
              setSentTo(email);
            }}
          >
            <Field label="New e-mail" name="email" type="email" autoComplete="email" />
          </Form>
        ) : (
          <Form
            button="Confirm e-mail"
            onSubmit={async ({ code = "" }) => {
              await session.confirmEmail(code);
              setSentTo(undefined);
              changed("Your e-mail");
            }}
          >
            <Field label={`Code sent to ${sentTo}`} name="code" autoComplete="one-time-code" isCode />
          </Form>
        )}
      </Section>
      <Section title="Password">
        <Form
          button="Change password"
          onSubmit={async ({ old = "", password = "" }) => {
            await session.changePassword(old, password);
            changed("Your password");
          }}
        >
          <Field label="Password until now" name="old" type="password" autoComplete="current-password" />
          <Field label="New password" name="password" type="password" autoComplete="new-password" />
        </Form>
      </Section>
      <Section title="Delete account">
        <DeleteAccount />
      </Section>
    </>
  );
}

/** Shows what an erasure would cancel and what prevents it, before it erases the person. */
function DeleteAccount() {
  const { odis, session } = useSession();
  const { route } = useLocation();
  const [plan, setPlan] = useState<ErasureAnswer>();
  const erase = (dry_run: boolean) => odis.post("/odis/v1/me/erase", { body: { dry_run, cancel_subscriptions: true } });
  const look = useAction(async () => setPlan(await erase(true)));
  const deletion = useAction(async () => {
    await erase(false);
    await session.signOut();
    route("/");
  });
  const error = look.error ?? deletion.error;
  return (
    <div class="form">
      {error !== undefined && <Notice kind="bad">{messageOf(error)}</Notice>}
      {!plan && (
        <button type="button" class="button quiet" disabled={look.isRunning} onClick={() => void look.run()}>
          See what is deleted
        </button>
      )}
      {plan?.blockers.map(({ code, community_id }) => (
        <Notice key={`${code} ${community_id}`} kind="bad">
          {blockers[code] ?? "Something has to be settled first. Please write to us."}
        </Notice>
      ))}
      {plan?.blockers.length === 0 && (
        <>
          <p>
            Your name, address and memberships are deleted, which cannot be undone.
            {plan.cancels.length > 0 &&
              ` This cancels, now and without a refund: ${plan.cancels.map(({ tier }) => tier?.name ?? "a membership").join(", ")}.`}
          </p>
          <button type="button" class="button" disabled={deletion.isRunning} onClick={() => void deletion.run()}>
            Delete my account
          </button>
        </>
      )}
    </div>
  );
}

const blockers: Readonly<Record<string, string>> = {
  owns_community: "You own a community. It needs another owner first.",
  pending_payment: "A payment is not settled yet. Try again when it is.",
  open_dispute: "A dispute about a payment is still open. Try again when it is closed.",
};
