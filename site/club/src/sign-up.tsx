import { useState } from "preact/hooks";
import { Confirm } from "./confirm.tsx";
import { useClub } from "./context.ts";
import { Email, Form, Link, Names, Password } from "./parts.tsx";
import { SubView } from "./sub-view.tsx";

export function SignUp() {
  const { accounts, go } = useClub();
  const [created, setCreated] = useState<{ readonly email: string; readonly password: string }>();
  if (created) return <Confirm {...created} />;
  return (
    <SubView title="Create your account">
      <Form
        button="Create account"
        onSubmit={async ({ email = "", password = "", first = "", last = "" }) => {
          await accounts.signUp(email, password, { firstName: first, lastName: last });
          setCreated({ email, password });
        }}
      >
        <Names />
        <Email />
        <Password isNew />
        <slot name="terms" />
      </Form>
      <Link onClick={() => go("sign_in")}>I have an account</Link>
    </SubView>
  );
}
