import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session.tsx";

export function Forgotten() {
  const { accounts, deployment } = useSession();
  const { route } = useLocation();
  const [email, setEmail] = useState<string>();

  const ask = async (fields: { email?: string }): Promise<void> => {
    await accounts.forgotPassword(fields.email ?? "");
    setEmail(fields.email);
  };
  const reset = async ({ code = "", password = "" }): Promise<void> => {
    await accounts.resetPassword(email ?? "", code, password);
    route("/sign-in?reset=1");
  };

  if (email === undefined)
    return (
      <Page title="Forgot your password?" kind="narrow" lead="We send a code to your email address.">
        <Form key="ask" button="Send the code" onSubmit={ask}>
          <Field label="E-mail" name="email" type="email" autoComplete="username" />
        </Form>
      </Page>
    );
  return (
    <Page title="Set a new password" kind="narrow" lead={`If there is an account for ${email}, it has got a code.`}>
      {deployment.stage === "local" && (
        <Notice>
          The local stack sends no email: the code is <code>000000</code>.
        </Notice>
      )}
      <Form key="reset" button="Set the password" onSubmit={reset}>
        <Field label="Code of six digits" name="code" autoComplete="one-time-code" isCode />
        <Field label="New password" name="password" type="password" autoComplete="new-password" />
      </Form>
    </Page>
  );
}
