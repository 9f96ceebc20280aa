import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useClub } from "./context.ts";
import { Code, Email, Form, Names, Password } from "./parts.tsx";

type SectionProps = { readonly title: string; readonly children: ComponentChildren };

export const Section = ({ title, children }: SectionProps) => (
  <details>
    <summary>{title}</summary>
    {children}
  </details>
);

/** Name, email address and password of the person. */
export function Settings() {
  const { session, user, reload } = useClub();
  const [sentTo, setSentTo] = useState<string>();

  async function changeEmail({ email = "", code = "" }): Promise<string> {
    if (sentTo === undefined) {
      await session.changeEmail(email);
      setSentTo(email);
      return `We have sent a code to ${email}.`;
    }
    await session.confirmEmail(code);
    setSentTo(undefined);
    reload();
    return "Your e-mail was changed.";
  }
  return (
    <>
      <Section title="Name">
        <Form
          button="Change name"
          onSubmit={async ({ first = "", last = "" }) => {
            await session.changeName({ firstName: first, lastName: last });
            reload();
            return "Your name was changed.";
          }}
        >
          <Names first={user?.first_name} last={user?.last_name} />
        </Form>
      </Section>
      <Section title="E-mail">
        <Form button={sentTo === undefined ? "Send a code" : "Confirm e-mail"} onSubmit={changeEmail}>
          {sentTo === undefined ? (
            <Email label="New e-mail" autoComplete="email" />
          ) : (
            <Code label={`Code sent to ${sentTo}`} />
          )}
        </Form>
      </Section>
      <Section title="Password">
        <Form
          button="Change password"
          onSubmit={async ({ old = "", password = "" }) => {
            await session.changePassword(old, password);
            return "Your password was changed.";
          }}
        >
          <Password label="Password until now" name="old" />
          <Password label="New password" isNew />
        </Form>
      </Section>
    </>
  );
}
