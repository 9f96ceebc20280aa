import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { handler as showMe } from "../../../functions/me/show.ts";
import { handler as accept } from "../../../functions/team/accept.ts";
import { handler as invite } from "../../../functions/team/invite.ts";
import { handler as list } from "../../../functions/team/list.ts";
import { handler as listInvitations } from "../../../functions/team/list-invitations.ts";
import { handler as remove } from "../../../functions/team/remove.ts";
import { handler as removeInvitation } from "../../../functions/team/remove-invitation.ts";
import { handler as update } from "../../../functions/team/update.ts";
import { communitiesOf, invitationsOf, ofKind, placesOf } from "../world/records.ts";
import type { Act, Repertoire } from "./act.ts";
import { noteWrite } from "./owners-communities.ts";
import type { Scene } from "./scene.ts";
import { probeOften } from "./strangers.ts";

type User = { readonly id: number; readonly email: string };

const roles = ["manager", "manager", "support", "viewer"];

const emailOf = ({ world }: Scene, userId: number): string =>
  (ofKind(world, "user") as unknown as readonly User[]).find(({ id }) => id === userId)?.email || "nobody@example.com";

const inviting: Act = async (scene) => {
  const { chance } = scene;
  const community = scene.community();
  const person = scene.person();
  const email = chance.is(0.9) ? emailOf(scene, person) : `somebody-${scene.name}@example.com`;
  const body = { invitation: { email, role: chance.pick(roles) } };
  const call = { as: scene.manager(community), params: { community_id: community.id }, body };
  const invited = await scene.call(invite, call);
  const id = Number(invited.body.id ?? 0);
  // The other acts of a pair answer its invitation.
  if (id === 0 || scene.subject()) return;
  const next = chance.next();
  const own = { params: { id }, as: { id: person } };
  if (next < 0.5) await scene.call(accept, { ...own, body: {} });
  else if (next < 0.75) await scene.call(removeInvitation, chance.is(0.5) ? own : { ...own, as: call.as });
};

/** Picks an invitation, and the person with its address. */
function anInvitation(scene: Scene) {
  const invitation = scene.pick(invitationsOf(scene.world));
  const invited = ofKind(scene.world, "user").find(({ email }) => email === invitation?.email);
  const community = communitiesOf(scene.world).find(({ id }) => id === invitation?.community_id);
  return (
    invitation &&
    community && { community, params: { id: invitation.id }, as: { id: Number(invited?.id ?? scene.person()) } }
  );
}

const accepting: Act = async (scene) => {
  const given = anInvitation(scene);
  if (!given) return;
  const { params, as } = given;
  await scene.call(showMe, { as });
  await scene.call(accept, { params, as: scene.chance.is(0.9) ? as : { id: scene.person() }, body: {} });
};

const declining: Act = async (scene) => {
  const given = anInvitation(scene);
  if (!given) return;
  const as = scene.chance.is(0.5) ? given.as : scene.manager(given.community);
  await scene.call(removeInvitation, { params: given.params, as });
};

/** Picks a person in a team, and a caller who manages the community. */
function aPlace(scene: Scene) {
  const place = scene.pick(placesOf(scene.world).map((one) => ({ ...one, id: one.user_id })));
  const community = communitiesOf(scene.world).find(({ id }) => id === place?.community_id);
  if (!place || !community) return undefined;
  const params = { community_id: community.id, user_id: place.user_id };
  return { place, community, params, as: scene.manager(community) };
}

type Place = NonNullable<ReturnType<typeof aPlace>>;

const withPlace =
  (act: (scene: Scene, given: Place) => Promise<unknown>): Act =>
  async (scene) => {
    const given = aPlace(scene);
    if (given) await act(scene, given);
  };

const changeRole = (scene: Scene, { params, as }: Place) =>
  scene.call(update, { params, as, body: { team_member: { role: scene.chance.pick(roles) } } });

const leave = (scene: Scene, { params, as, place }: Place) =>
  scene.call(remove, { params, as: scene.chance.is(0.3) ? { id: place.user_id } : as });

/** A person in a team edits the community. */
const edit = async (scene: Scene, { community, place }: Place) => {
  const change = { name: `Team ${scene.name}` };
  const call = { as: { id: place.user_id }, params: { id: community.id }, body: { community: change } };
  noteWrite(scene, "community", community.id, change, await scene.call(updateCommunity, call));
};

/** A person in a team continues to call routes while they lose the right, and afterwards. */
const stay = async (scene: Scene, given: Place) => {
  const isLeaving = scene.chance.is(0.6);
  const probing = probeOften(scene, { id: given.place.user_id }, given.community, { count: 6, within: 400 });
  await Promise.all([isLeaving ? leave(scene, given) : changeRole(scene, given), edit(scene, given), probing]);
};

const read: Act = async (scene) => {
  const community = scene.community();
  const call = { as: scene.manager(community), params: { community_id: community.id } };
  await Promise.all([scene.call(list, call), scene.call(listInvitations, call)]);
};

/** Owners who invite people to the team of a community, and the people in it. */
export const teams: Repertoire = {
  weight: 10,
  acts: {
    invite: [6, inviting],
    accept: [6, accepting],
    decline: [4, declining],
    changeRole: [2, withPlace(changeRole)],
    leave: [3, withPlace(leave)],
    edit: [3, withPlace(edit)],
    stay: [3, withPlace(stay)],
    read: [1, read],
  },
};
