import { useClub } from "./context.ts";
import type { SignInError } from "./odis.ts";
import { Email, Form, Link, Names, Password } from "./parts.tsx";
import { SubView } from "./sub-view.tsx";

export function SignUp() {
  const { accounts, go } = useClub();
  return (
    <SubView title="Create your account">
      <Form
        button="Create account"
        onSubmit={async ({ email = "", password = "", first = "", last = "" }) => {
          try {
            await accounts.signUp(email, password, { firstName: first, lastName: last });
          } catch (error) {
            if ((error as Partial<SignInError>).code !== "UsernameExistsException") throw error;
            // Cognito sends a code again unless the account is confirmed.
            await accounts.resendCode(email).catch(() => Promise.reject(error));
          }
          go("confirm", undefined, email, password);
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
