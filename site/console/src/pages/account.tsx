import { useState } from "preact/hooks";
import type { Me, TotpSetup } from "../data/odis.ts";
import { problemText } from "../data/problem-text.ts";
import { nameOf } from "../format.ts";
import { announce } from "../parts/announce.tsx";
import { Button } from "../parts/button.tsx";
import { Form } from "../parts/form.tsx";
import { Card, Facts, Page } from "../parts/page.tsx";
import { Notice } from "../parts/states.tsx";
import { useSession } from "../session.tsx";
import { Secret } from "./sign-in-challenge.tsx";

type Setup = TotpSetup & { readonly confirm: (code: string) => Promise<void> };

export function AccountPage({ me: { user, groups } }: { readonly me: Me }) {
  const { accounts, tokens, end } = useSession();
  const [setup, setSetup] = useState<Setup>();
  const [error, setError] = useState<unknown>();
  const begin = async (): Promise<void> => {
    try {
      setError(undefined);
      setSetup(await accounts.setUpTotp(await tokens(), user?.email ?? ""));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Page title="Your account" actions={<Button onClick={() => void end()}>Sign out</Button>}>
      <Card title="Profile">
        <Facts
          of={[
            ["Name", user ? nameOf(user) : "Unknown"],
            ["Email", user?.email ?? "Unknown"],
            ["User id", user?.id ?? "Unknown"],
            ["Permissions", groups.length === 0 ? "Manage the communities you own" : groups.join(", ")],
          ]}
        />
      </Card>
      <Card title="Authenticator app">
        <p>With an authenticator app, every sign-in asks for a code. Admins need one to use their permissions.</p>
        {error !== undefined && <Notice tone="danger" role="alert" title={problemText(error)} />}
        {!setup && <Button onClick={() => void begin()}>Set up an authenticator app</Button>}
        {setup && (
          <>
            <Secret {...setup} />
            <Form
              fields={[{ name: "code", label: "Six-digit code", kind: "code", autocomplete: "one-time-code" }]}
              opened={{ values: { code: "" } }}
              submit="Confirm"
              send={async (_, __, { code }) => {
                await setup.confirm(String(code).trim());
                setSetup(undefined);
                await end();
                announce("Your authenticator app is set up. Wait 10 seconds, then sign in again with its next code.");
              }}
              onCancel={() => setSetup(undefined)}
            />
          </>
        )}
      </Card>
    </Page>
  );
}
