import { useState } from "preact/hooks";
import { blockers } from "./account-texts.ts";
import { useClub } from "./context.ts";
import type { ErasureAnswer } from "./odis.ts";
import { Action, Notice } from "./parts.tsx";
import { expectedCode } from "./plan-words.ts";
import { Section } from "./settings.tsx";

/** Shows what a deletion would cancel and what prevents it, before it deletes the account. */
export function DeleteAccount() {
  const { odis, session, go } = useClub();
  const [plan, setPlan] = useState<ErasureAnswer>();
  const erase = (dry_run: boolean) => {
    const body = { dry_run, cancel_subscriptions: true };
    return odis.post("/odis/v1/me/erase", { body }).catch((error: unknown) => expectedCode<never>(error));
  };
  const remove = async (): Promise<void> => {
    await erase(false);
    go("home", "Your account was deleted.");
    await session.signOut();
  };
  const cancels = plan?.cancels.map(({ tier }) => tier?.name ?? "a membership").join(", ");
  return (
    <Section title="Delete account">
      {!plan && (
        <Action class="quiet" onClick={async () => setPlan(await erase(true))}>
          See what is deleted
        </Action>
      )}
      {plan?.blockers.map(({ code, community_id }) => (
        <Notice key={`${code} ${community_id}`} kind="bad">
          {blockers[code] ?? "Something has to be settled first. Please write to us."}
        </Notice>
      ))}
      {plan?.blockers.length === 0 && (
        <>
          <p role="status">
            Your name, address and memberships are deleted, which cannot be undone.
            {cancels && ` This cancels, now and without a refund: ${cancels}.`}
          </p>
          <Action class="bad" onClick={remove}>
            Delete my account
          </Action>
        </>
      )}
    </Section>
  );
}
