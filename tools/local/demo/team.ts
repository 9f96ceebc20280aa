import * as communities from "#lib/store/communities.ts";
import * as invitations from "#lib/store/invitations.ts";
import type { Writer } from "#lib/store/table.ts";
import * as team from "#lib/store/team.ts";
import { addProfile } from "../users.ts";
import { people } from "./people.ts";

/** People in the team of the first community. They can sign in, and have no tokens of their own. */
export const teamMembers = [
  { id: 7, username: "manager", first_name: "Mona", last_name: "Manager", role: "manager" },
  { id: 8, username: "support", first_name: "Sam", last_name: "Support", role: "support" },
] as const;

const communityId = 1;

/** Adds a team to the first community, and two open invitations. The stranger can accept one of them. */
export async function addTeam(table: Writer, now: Date): Promise<void> {
  const invite = async (email: string, role: "manager" | "support" | "viewer", at: Date) => {
    const community = await communities.open(table, communityId);
    const stored = await invitations.listOf(table, community.id);
    const by = { id: people.owner.id, requestId: "demo", now: at };
    return invitations.add(table, community, stored, { email, role }, by);
  };
  for (const [n, { role, ...person }] of teamMembers.entries()) {
    const at = new Date(now.getTime() + n * 1000);
    await addProfile(table, person);
    const invitation = await invite(`${person.username}@example.com`, role, at);
    const community = await communities.open(table, communityId);
    const by = { id: person.id, requestId: "demo", now: new Date(at.getTime() + 500) };
    await team.join(
      table,
      { community, invitation, team: await team.listOf(table, community), earlier: undefined },
      by,
    );
  }
  await invite(`${people.stranger.username}@example.com`, "viewer", new Date(now.getTime() + 3000));
  await invite("lola@example.com", "support", new Date(now.getTime() + 4000));
}
