import { useState } from "preact/hooks";
import type { Me } from "../data/odis.ts";
import { ignoreMissing } from "../data/problem-text.ts";
import { dateOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Card } from "../parts/page.tsx";
import { Failure } from "../parts/states.tsx";
import { isSignedOut, useOdis, useSession } from "../session.tsx";

export const roleTexts: Readonly<Record<string, string>> = { manager: "Manager", support: "Support", viewer: "Viewer" };

type Invitation = NonNullable<Me["invitations"]>[number];
type Open = { readonly isAccepted: boolean; readonly invitation: Invitation };

/** The open invitations to the person, which they accept or decline. Nothing if there are none. */
export function Invitations({ me }: { readonly me: Me }) {
  const invitations = me.invitations ?? [];
  const { refresh, end } = useSession();
  const [open, setOpen] = useState<Open>();
  const [error, setError] = useState<unknown>();
  /** @param answeredId the invitation that the person has accepted or declined, which is no longer shown */
  const reload = (answeredId?: number) => {
    setError(undefined);
    const isOpen = ({ id }: Invitation) => id !== answeredId;
    refresh((shown) => ({
      ...shown,
      ...(shown.invitations && { invitations: shown.invitations.filter(isOpen) }),
    })).catch((failure: unknown) => {
      if (isSignedOut(failure)) void end({ hasEnded: true });
      setError(failure);
    });
  };
  return (
    <>
      {error !== undefined && (
        <Failure what="your communities and invitations" error={error} onRetry={() => reload()} />
      )}
      {invitations.length > 0 && (
        <Card title="Invitations">
          <ul class="records">
            {invitations.map((invitation) => {
              const { id, community, role, expires_at } = invitation;
              const opens = (isAccepted: boolean) => () => setOpen({ isAccepted, invitation });
              return (
                <li key={id} class="record">
                  <div class="record-text">
                    <h3>{community.name}</h3>
                    <p class="muted">
                      {roleTexts[role]}, until {dateOf(expires_at)}
                    </p>
                  </div>
                  <div class="actions">
                    <Button tone="primary" label={`Accept the invitation of ${community.name}`} onClick={opens(true)}>
                      Accept
                    </Button>
                    <Button label={`Decline the invitation of ${community.name}`} onClick={opens(false)}>
                      Decline
                    </Button>
                  </div>
                </li>
              );
            })}
          </ul>
        </Card>
      )}
      {open && <Decision {...open} onDone={() => reload(open.invitation.id)} onClose={() => setOpen(undefined)} />}
    </>
  );
}

type DecisionProps = Open & { readonly onDone: () => void; readonly onClose: () => void };

function Decision({ isAccepted, invitation, onDone, onClose }: DecisionProps) {
  const odis = useOdis();
  const { id, community, role } = invitation;
  return (
    <FormDialog
      title={`${isAccepted ? "Accept" : "Decline"} the invitation of ${community.name}`}
      opened={{ values: {} }}
      submit={isAccepted ? "Join the team" : "Decline the invitation"}
      tone={isAccepted ? "primary" : "danger"}
      explain={() => (
        <p>
          {isAccepted
            ? `You join the team as ${roleTexts[role]}. The owner sees your name and your email address.`
            : "The owner has to invite you again if you change your mind."}
        </p>
      )}
      done={isAccepted ? `You are in the team of ${community.name}.` : "The invitation was declined."}
      send={async (_, header) => {
        const path = { id };
        if (isAccepted) await odis.post("/odis/v1/invitations/{id}/accept", { params: { path, header } });
        else await odis.delete("/odis/v1/invitations/{id}", { params: { path } }).catch(ignoreMissing);
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
