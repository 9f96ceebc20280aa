import { kindOf } from "#lib/store/keys.ts";
import { itemFromWire } from "../table/native.ts";
import { communitiesOf, invitationsOf, ofKind, placesOf } from "../world/records.ts";
import type { World } from "../world/world.ts";

const most = 50;

/**
 * Nobody is in the team of their own community, limits hold, and each person who joined or got another role has exactly one
 * entry in the activity.
 */
export function assertTeams(world: World): void {
  const places = placesOf(world);
  const invitations = invitationsOf(world);
  for (const { id, owner_id, ownership = 0 } of communitiesOf(world) as {
    id: number;
    owner_id: number;
    ownership?: number;
  }[]) {
    const isOpen = ({ community_id, right }: (typeof places)[number] | (typeof invitations)[number]) =>
      community_id === id && right.ownership === ownership;
    const team = places.filter(isOpen);
    if (team.some(({ user_id }) => user_id === owner_id))
      world.violate("teams", `user ${owner_id} owns community ${id} and is in its team`);
    if (team.length > most) world.violate("teams", `community ${id} has ${team.length} people in its team`);
    const open = invitations.filter((one) => isOpen(one) && one.expires_at * 1000 > world.timeline.now);
    if (open.length > most) world.violate("teams", `community ${id} has ${open.length} invitations`);
    const emails = open.map(({ email }) => email.toLowerCase());
    if (new Set(emails).size < emails.length) world.violate("teams", `community ${id} has invited somebody twice`);
  }

  const changes = new Map<string, number>();
  const count = (name: string, by: number) => changes.set(name, (changes.get(name) ?? 0) + by);
  for (const { dynamodb } of world.storage.stream.records) {
    const [was, is] = [dynamodb.OldImage, dynamodb.NewImage].map(
      (image) => image && itemFromWire(image, (list) => list),
    );
    if (!is || kindOf({ pk: String(is.pk), sk: String(is.sk) }) !== "teamMember") continue;
    const action = was?.created_at === is.created_at ? "team_role_changed" : "team_joined";
    count(`${String(is.community_id)} ${String(is.user_id)} ${action}`, 1);
  }
  for (const { pk, action, record } of ofKind(world, "activity")) {
    if (action !== "team_joined" && action !== "team_role_changed") continue;
    count(`${Number(pk.split("#")[1])} ${(record as { id: number }).id} ${action}`, -1);
  }
  for (const [name, difference] of changes)
    if (difference !== 0) world.violate("audit entries", `${name}: ${difference} changes without an entry`);
}
