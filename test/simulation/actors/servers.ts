import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { handler as create } from "../../../functions/keys/create.ts";
import { handler as list } from "../../../functions/keys/list.ts";
import { handler as remove } from "../../../functions/keys/remove.ts";
import { apiKeysOf, communitiesOf } from "../world/records.ts";
import type { As } from "../world/requests.ts";
import type { Act, Repertoire } from "./act.ts";
import { setBlock } from "./blocking.ts";
import { noteWrite } from "./owners-communities.ts";
import type { Scene } from "./scene.ts";
import { probeOften } from "./strangers.ts";

const roles = ["manager", "manager", "support", "viewer"];
const minute = 60_000;

/** The caller that a key stands for. Its negative id is that of no user. */
const asKey = (id: number, text: string): As => ({ id: -id, apiKey: { id, text } });

const creating: Act = async (scene) => {
  const { chance, world } = scene;
  const community = scene.community();
  const isShort = chance.is(0.3);
  const expires_at = new Date(world.timeline.now + chance.next() * 60 * minute).toISOString();
  const body = { api_key: { name: `Key ${scene.name}`, role: chance.pick(roles), ...(isShort && { expires_at }) } };
  const call = { as: scene.manager(community), params: { community_id: community.id }, body };
  const created = await scene.call(create, call);
  const { id, key } = created.body;
  if (typeof id !== "number" || typeof key !== "string") return;
  world.apiKeys.set(id, key);
  await probeOften(scene, asKey(id, key), community, { count: 1, within: 0 });
};

/** Picks a key that somebody has seen, valid or not, and its community. */
function aKey(scene: Scene) {
  const { chance, world } = scene;
  const stored = apiKeysOf(world);
  const communityOf = (key: number) => stored.find(({ id }) => id === key)?.community_id;
  const seen = [...world.apiKeys].map(([id, text]) => ({ id, text, community_id: communityOf(id) }));
  const key = scene.pick(seen);
  const all = communitiesOf(world);
  const community = all.find(({ id }) => id === key?.community_id) ?? chance.pick(all);
  return key && community && { id: key.id, community, as: asKey(key.id, key.text) };
}

type Given = NonNullable<ReturnType<typeof aKey>>;

const withKey =
  (act: (scene: Scene, given: Given) => Promise<unknown>): Act =>
  async (scene) => {
    const given = aKey(scene);
    if (given) await act(scene, given);
  };

const revoke = (scene: Scene, { id, community }: Given) =>
  scene.call(remove, { params: { id }, as: scene.manager(community) });

const edit = async (scene: Scene, { community, as }: Given) => {
  const change = { name: `Server ${scene.name}` };
  const call = { as, params: { id: community.id }, body: { community: change } };
  noteWrite(scene, "community", community.id, change, await scene.call(updateCommunity, call));
};

const block = async (scene: Scene, { community, as }: Given) => {
  const managed = scene.managed(scene.member(community.id));
  if (managed) await setBlock(scene, { ...managed, as }, scene.chance.is(0.5));
};

const call = (scene: Scene, { as, community }: Given) => probeOften(scene, as, community, { count: 1, within: 200 });

/** A server continues to call routes while its key is revoked, and afterwards. */
const stay = async (scene: Scene, given: Given) => {
  const probing = probeOften(scene, given.as, given.community, { count: 4, within: 400 });
  await Promise.all([revoke(scene, given), edit(scene, given), probing]);
};

const read: Act = async (scene) => {
  const community = scene.community();
  await scene.call(list, { as: scene.manager(community), params: { community_id: community.id } });
};

/** Servers that call the API with keys, and the owners who create and revoke these. */
export const servers: Repertoire = {
  weight: 6,
  acts: {
    create: [5, creating],
    call: [4, withKey(call)],
    edit: [3, withKey(edit)],
    block: [2, withKey(block)],
    stay: [2, withKey(stay)],
    revoke: [1, withKey(revoke)],
    read: [1, read],
  },
};
