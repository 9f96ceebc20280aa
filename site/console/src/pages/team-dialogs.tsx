import { type Invitation, type Odis, OdisProblem, type TeamMember } from "../data/odis.ts";
import { ignoreMissing } from "../data/problem-text.ts";
import { nameOf } from "../format.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useOdis } from "../session.tsx";
import { roleTexts } from "./invitations.tsx";

type Props = { readonly communityId: number; readonly onClose: () => void };
type Role = TeamMember["role"];

const choices = [
  {
    value: "manager",
    label: "Manager",
    hint: "Everything but event destinations, API keys and the team: also refunds, tiers, benefits and the import of members.",
  },
  {
    value: "support",
    label: "Support",
    hint: "Members with their payments, addresses and notes; blocks and cancellations; the activity.",
  },
  { value: "viewer", label: "Viewer", hint: "Figures, tiers and benefits only." },
];

/** The choice of a role, of a person or an API key. */
export const roleField = { name: "role", label: "Role", kind: "radio", choices } as const;

export function Invite({ communityId, onClose }: Props) {
  const odis = useOdis();
  return (
    <FormDialog
      title="Invite somebody"
      fields={[{ name: "email", label: "Email", kind: "email" }, roleField]}
      opened={{ values: { email: "", role: "support" } }}
      submit="Invite"
      explain={() => (
        <p>
          No email is sent. Copy the text of the invitation afterwards, and send it yourself. It can be accepted for 14
          days.
        </p>
      )}
      check={({ email }) => ({ email: String(email).includes("@") ? undefined : "Enter an email address." })}
      done="The invitation was created. Copy its text and send it."
      send={async (_, header, { email, role }) => {
        return odis.request("post", "/odis/v1/communities/{community_id}/invitations", {
          params: { path: { community_id: communityId }, header },
          body: { invitation: { email: String(email).trim(), role: String(role) as Role } },
        });
      }}
      onClose={onClose}
    />
  );
}

const pathOfTeam = "/odis/v1/communities/{community_id}/team";
const allOf = (community_id: number) => ({ params: { path: { community_id }, query: { per: 100 } } });

type OfMember = Props & { readonly member: TeamMember };

/** The API has no version of a role, so the role is its own. */
const openedWith = (role: string) => ({ values: { role }, etag: role });

export function ChangeRole({ communityId, member, onClose }: OfMember) {
  const odis = useOdis();
  const name = nameOf(member.user);
  const storedRole = async (): Promise<Role | undefined> => {
    const { data } = await odis.get(pathOfTeam, allOf(communityId));
    return data.find(({ user }) => user.id === member.user.id)?.role;
  };
  return (
    <FormDialog
      title={`Change role of ${name}`}
      id={member.user.id}
      fields={[roleField]}
      opened={openedWith(member.role)}
      reread={async () => openedWith((await storedRole()) ?? "")}
      submit="Save"
      explain={({ role }, base) => (
        <p>{role === base.role ? "No changes yet." : "It takes effect with the next request."}</p>
      )}
      done={`The role of ${name} was changed.`}
      send={async ({ role }, { "If-Match": before }) => {
        if (role === undefined) throw new Error("There are no changes. Choose another role, or close this form.");
        const stored = await storedRole();
        if (stored !== undefined && stored !== before) throw new OdisProblem(412, { code: "stale_record" });
        await odis.patch("/odis/v1/communities/{community_id}/team/{user_id}", {
          params: { path: { community_id: communityId, user_id: member.user.id } },
          body: { team_member: { role: String(role) as Role } },
        });
      }}
      onClose={onClose}
    />
  );
}

export function RemoveFromTeam({ communityId, member, onClose }: OfMember) {
  const odis = useOdis();
  const name = nameOf(member.user);
  return (
    <FormDialog
      title={`Remove ${name}`}
      opened={{ values: {} }}
      submit="Remove from the team"
      tone="danger"
      explain={() => <p>{name} can do nothing in the community from the next request on.</p>}
      done={`${name} was removed from the team.`}
      send={async () => {
        const path = { community_id: communityId, user_id: member.user.id };
        await odis
          .delete("/odis/v1/communities/{community_id}/team/{user_id}", { params: { path } })
          .catch(ignoreMissing);
      }}
      onClose={onClose}
    />
  );
}

export function RevokeInvitation({ communityId, invitation, onClose }: Props & { readonly invitation: Invitation }) {
  const odis = useOdis();
  const { id, email, role } = invitation;
  return (
    <FormDialog
      title={`Revoke the invitation of ${email}`}
      opened={{ values: {} }}
      submit="Revoke the invitation"
      tone="danger"
      explain={() => <p>The invitation as {roleTexts[role]} can no longer be accepted.</p>}
      done="The invitation was revoked."
      send={async () => {
        await odis.delete("/odis/v1/invitations/{id}", { params: { path: { id } } }).catch(async (error) => {
          ignoreMissing(error);
          if (await isOpenOrAccepted(odis, communityId, email))
            throw new Error(
              "This invitation is no longer open: the person has joined, or was invited again. Check the list.",
            );
        });
      }}
      onClose={onClose}
    />
  );
}

/** Whether a person of the address is in the team or invited to it. */
async function isOpenOrAccepted(odis: Odis, communityId: number, email: string): Promise<boolean> {
  const [team, invitations] = await Promise.all([
    odis.get(pathOfTeam, allOf(communityId)),
    odis.get("/odis/v1/communities/{community_id}/invitations", allOf(communityId)),
  ]);
  const emails = [...team.data.map(({ user }) => user.email), ...invitations.data.map((other) => other.email)];
  return emails.some((other) => other?.toLowerCase() === email.toLowerCase());
}
