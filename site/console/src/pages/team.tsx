import { useState } from "preact/hooks";
import type { Invitation, TeamMember } from "../data/odis.ts";
import { useLoad } from "../data/use-load.ts";
import { dateOf, nameOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { copy } from "../parts/copy.ts";
import { Badge, Card, Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useOdis } from "../session.tsx";
import { roleTexts } from "./invitations.tsx";
import { ChangeRole, Invite, RemoveFromTeam, RevokeInvitation } from "./team-dialogs.tsx";

type Open =
  | { readonly dialog: "invite" }
  | { readonly dialog: "role" | "remove"; readonly member: TeamMember }
  | { readonly dialog: "revoke"; readonly invitation: Invitation };

/** The people in the team of a community, and the open invitations. */
export function TeamPage({ communityId }: { readonly communityId: number }) {
  const odis = useOdis();
  const [open, setOpen] = useState<Open>();
  const params = { path: { community_id: communityId }, query: { per: 100 } };
  const team = useLoad(
    (signal) => odis.get("/odis/v1/communities/{community_id}/team", { params, signal }),
    [communityId],
  );
  const invitations = useLoad(
    (signal) => odis.get("/odis/v1/communities/{community_id}/invitations", { params, signal }),
    [communityId],
  );
  // Reloads the lists in any case, because a request whose response was lost may have taken effect.
  const onClose = (): void => {
    setOpen(undefined);
    team.reload();
    invitations.reload();
  };
  const common = { communityId, onClose };
  return (
    <Page
      title="Team"
      lead={<p>People who work in the community with a part of your rights.</p>}
      actions={
        <Button tone="primary" onClick={() => setOpen({ dialog: "invite" })}>
          Invite somebody
        </Button>
      }
    >
      <Card title="People">
        <Loaded what="the team" of={team}>
          {({ data }) => (
            <>
              {data.length === 0 && (
                <Empty icon="team" title="Nobody is in the team yet">
                  <p>
                    Invite people who answer members, refund, or watch the figures. Each gets a role, and sees no more
                    than it allows.
                  </p>
                </Empty>
              )}
              <ul class="records">
                {data.map((member) => (
                  <Person key={member.user.id} member={member} onOpen={(dialog) => setOpen({ dialog, member })} />
                ))}
              </ul>
            </>
          )}
        </Loaded>
      </Card>
      <Card title="Open invitations">
        <Loaded what="the invitations" of={invitations}>
          {({ data }) => (
            <>
              {data.length === 0 && (
                <Empty title="There are no open invitations">
                  <p>An invitation is open for 14 days, until the person accepts it.</p>
                </Empty>
              )}
              <ul class="records">
                {data.map((invitation) => (
                  <Invited
                    key={invitation.id}
                    invitation={invitation}
                    onRevoke={() => setOpen({ dialog: "revoke", invitation })}
                  />
                ))}
              </ul>
            </>
          )}
        </Loaded>
      </Card>
      {open?.dialog === "invite" && <Invite {...common} />}
      {open?.dialog === "role" && <ChangeRole {...common} member={open.member} />}
      {open?.dialog === "remove" && <RemoveFromTeam {...common} member={open.member} />}
      {open?.dialog === "revoke" && <RevokeInvitation {...common} invitation={open.invitation} />}
    </Page>
  );
}

type PersonProps = { readonly member: TeamMember; readonly onOpen: (dialog: "role" | "remove") => void };

function Person({ member: { user, role }, onOpen }: PersonProps) {
  const name = nameOf(user);
  return (
    <li class="record">
      <div class="record-text">
        <h3>{name}</h3>
        <p class="muted">{user.email}</p>
        <Badge tone="neutral">{roleTexts[role]}</Badge>
      </div>
      <div class="actions">
        <Button label={`Change role of ${name}`} onClick={() => onOpen("role")}>
          Change role
        </Button>
        <Button label={`Remove ${name}`} onClick={() => onOpen("remove")}>
          Remove
        </Button>
      </div>
    </li>
  );
}

type InvitedProps = { readonly invitation: Invitation; readonly onRevoke: () => void };

function Invited({ invitation, onRevoke }: InvitedProps) {
  const { email, role, expires_at } = invitation;
  return (
    <li class="record">
      <div class="record-text">
        <h3>{email}</h3>
        <p class="muted">
          {roleTexts[role]}, until {dateOf(expires_at)}
        </p>
      </div>
      <div class="actions">
        <Button label={`Copy text for ${email}`} onClick={() => void copy(textFor(invitation), `text for ${email}`)}>
          Copy text
        </Button>
        <Button label={`Revoke the invitation of ${email}`} onClick={onRevoke}>
          Revoke
        </Button>
      </div>
    </li>
  );
}

const textFor = ({ email, role, expires_at }: Invitation): string =>
  `You are invited to our team as ${roleTexts[role] ?? role}. Sign in as ${email} at ${location.origin}/console, ` +
  `or create an account with this address there, and accept the invitation by ${dateOf(expires_at)}.`;
