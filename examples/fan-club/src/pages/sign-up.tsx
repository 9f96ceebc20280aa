import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { messageOf, useSession } from "../session.tsx";
import { useAction } from "../use-request.ts";
import { pathOf } from "./sign-in.tsx";

type Account = { readonly email: string; readonly password?: string };

export function SignUpPage() {
  const { accounts, deployment, session } = useSession();
  const { query, route } = useLocation();
  const to = pathOf(query.to);
  const [created, setCreated] = useState<Account | undefined>(query.email ? { email: query.email } : undefined);

  const resent = useAction(async (email: string) => {
    await accounts.resendCode(email);
  });

  const create = async ({ email = "", password = "", first = "", last = "" }): Promise<void> => {
    await accounts.signUp(email, password, { firstName: first, lastName: last });
    setCreated({ email, password });
  };
  const confirm = async ({ code = "" }): Promise<void> => {
    const { email = "", password } = created ?? {};
    await accounts.confirmSignUp(email, code);
    const signedIn = password === undefined ? undefined : await accounts.signIn(email, password);
    if (signedIn?.status !== "signed_in") return route(`/sign-in?to=${encodeURIComponent(to)}`, true);
    await session.begin(signedIn.session);
    route(to, true);
  };

  if (created)
    return (
      <Page title="Check your email" kind="narrow" lead={`We have sent a code to ${created.email}.`}>
        {deployment.stage === "local" && (
          <Notice>
            The local stack sends no email: the code is <code>000000</code>.
          </Notice>
        )}
        <Form button="Confirm" onSubmit={confirm}>
          <Field label="Code of six digits" name="code" autoComplete="one-time-code" isCode />
        </Form>
        <p class="links">
          <button type="button" class="link" disabled={resent.isRunning} onClick={() => void resent.run(created.email)}>
            Send it again
          </button>
          <span role="status">{resent.isDone && "Sent."}</span>
        </p>
        {resent.error !== undefined && <Notice kind="bad">{messageOf(resent.error)}</Notice>}
      </Page>
    );
  return (
    <Page title="Create your account" kind="narrow" lead="One account for all communities.">
      <Form button="Create account" onSubmit={create}>
        <div class="pair">
          <Field label="First name" name="first" autoComplete="given-name" />
          <Field label="Last name" name="last" autoComplete="family-name" />
        </div>
        <Field label="E-mail" name="email" type="email" autoComplete="username" />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters, with a capital letter, a small letter and a digit."
        />
      </Form>
      <p class="links">
        <a href={`/sign-in?to=${encodeURIComponent(to)}`}>I have an account</a>
      </p>
    </Page>
  );
}
