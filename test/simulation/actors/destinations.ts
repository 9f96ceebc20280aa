import { subjectOfMember } from "#lib/contract/events.ts";
import type { StoredDestination } from "#lib/store/destinations.ts";
import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { handler as create } from "../../../functions/destinations/create.ts";
import { handler as listDeliveries } from "../../../functions/destinations/deliveries.ts";
import { handler as list } from "../../../functions/destinations/list.ts";
import { handler as ping } from "../../../functions/destinations/ping.ts";
import { handler as remove } from "../../../functions/destinations/remove.ts";
import { handler as resendOne } from "../../../functions/destinations/resend.ts";
import { handler as resendMany } from "../../../functions/destinations/resend-many.ts";
import { handler as rotate } from "../../../functions/destinations/rotate-secret.ts";
import { handler as show } from "../../../functions/destinations/show.ts";
import { handler as update } from "../../../functions/destinations/update.ts";
import { handler as listMembers } from "../../../functions/members/list.ts";
import { type Known, type MemberState, memberFields } from "../world/receivers.ts";
import { communitiesOf, destinationsOf, ofKind, type ShownCommunity } from "../world/records.ts";
import { type As, isOk } from "../world/requests.ts";
import type { Act, Repertoire } from "./act.ts";
import { noteWrite } from "./owners-communities.ts";
import { admin, type Scene } from "./scene.ts";

const hour = 3_600_000;

type Given = {
  readonly destination: StoredDestination;
  readonly community: ShownCommunity;
  readonly as: As;
  readonly params: { readonly id: number };
};

/** Picks a destination, and a caller who may manage it. */
function aDestination(scene: Scene, isWanted: (one: StoredDestination) => boolean = () => true): Given | undefined {
  const destination = scene.pick(destinationsOf(scene.world).filter(isWanted));
  const community = communitiesOf(scene.world).find(({ id }) => id === destination?.community_id);
  if (!destination || !community) return undefined;
  return { destination, community, as: scene.manager(community), params: { id: destination.id } };
}

const withDestination =
  (act: (scene: Scene, given: Given) => Promise<unknown>): Act =>
  async (scene) => {
    const given = aDestination(scene);
    if (given) await act(scene, given);
  };

/** Event types that destinations subscribe to. */
const choices = [
  ["*"],
  ["*"],
  ["member.*", "access.*", "payment.*", "refund.*", "dispute.*"],
  ["access.*"],
  ["tier.*"],
];

const urlOf = (scene: Scene, n = 0): string => `https://${scene.name}-${n}.example/`;

const newDestination: Act = async (scene) => {
  const community = scene.community();
  const as = scene.manager(community);
  const event_destination = { url: urlOf(scene), events: scene.chance.pick(choices) ?? ["*"] };
  const call = { as, params: { community_id: community.id }, body: { event_destination } };
  const outcome = await scene.call(create, { ...call, receiver: event_destination.url });
  if (isOk(outcome)) await readMembers(scene, { community, as, url: event_destination.url });
};

/** Creates several destinations at once, so that all requests see that the limit is not reached. */
const newDestinations: Act = async (scene) => {
  const community = scene.community();
  const call = { as: scene.manager(community), params: { community_id: community.id } };
  await Promise.all(
    Array.from({ length: 11 }, (_, n) => {
      const event_destination = { url: urlOf(scene, n), events: ["benefit.deleted"] };
      return scene.send(create, { ...call, body: { event_destination }, receiver: event_destination.url });
    }),
  );
};

type Shown = Omit<MemberState, "tier_id"> & {
  readonly id: number;
  readonly sequence: number;
  readonly membership_tier: { readonly id: number };
  readonly access: { readonly granted: boolean };
};

/** Extracts what a receiver stores from a member in an API response. */
function knownFrom(shown: Shown): Known {
  const all: Readonly<Record<string, unknown>> = { ...shown, tier_id: shown.membership_tier.id };
  const member = Object.fromEntries(memberFields.map((name) => [name, all[name]])) as MemberState;
  return { sequence: shown.sequence, isGranted: shown.access.granted, member };
}

/** Reads all members of a community, page by page. Undefined if a page cannot be read. */
export async function allMembers(scene: Scene, as: As, communityId: number) {
  const found: [string, Known][] = [];
  for (let cursor = ""; ; ) {
    const query = `per=100${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await scene.call(listMembers, { as, params: { community_id: communityId }, query });
    if (status !== 200) return undefined;
    for (const one of body.data as readonly Shown[])
      found.push([subjectOfMember({ community_id: communityId, id: one.id }), knownFrom(one)]);
    if (body.has_more !== true) return found;
    cursor = encodeURIComponent(String(body.next_cursor));
  }
}

type Reading = { readonly community: ShownCommunity; readonly as: As; readonly url: string };

/** A receiver reads all members before it processes its first event. */
async function readMembers(scene: Scene, { community, as, url }: Reading): Promise<void> {
  const end = scene.world.receivers.at(url).beginReading();
  for (let tried = 0; tried < 3; tried++) {
    const all = await allMembers(scene, as, community.id);
    if (all) return end(all);
    await scene.world.timeline.wait(20_000);
  }
}

const edit = withDestination(async (scene, { destination, community, as, params }) => {
  const { chance, name } = scene;
  const path = `${new URL(destination.url).origin}/${name}`;
  const change = chance.pick([
    { events: chance.pick(choices) ?? ["*"] },
    { url: path },
    { description: `Description ${name}` },
    { status: "disabled" },
    { status: "enabled" },
    { status: "enabled" },
  ]);
  const outcome = await scene.call(update, { as, params, body: { event_destination: change } });
  if (isOk(outcome)) await readMembers(scene, { community, as, url: destination.url });
});

/** Enables a disabled destination. If none is disabled, edits one instead. */
const enable: Act = async (scene) => {
  const given = aDestination(scene, ({ status }) => status === "disabled");
  if (!given) return void (await edit(scene));
  const { destination, community, as, params } = given;
  const outcome = await scene.call(update, { as, params, body: { event_destination: { status: "enabled" } } });
  if (isOk(outcome)) await readMembers(scene, { community, as, url: destination.url });
};

/** An impatient person pings all destinations of a community repeatedly. */
const pingOften = withDestination(async (scene, { destination, as }) => {
  const all = destinationsOf(scene.world).filter(({ community_id }) => community_id === destination.community_id);
  const wait = scene.chance.pick([0, 50, 1000]) ?? 0;
  const count = wait < 1000 ? scene.chance.integer(3, 8) : 16;
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      await scene.world.timeline.wait(n * wait);
      await scene.send(ping, { as, params: { id: all[n % all.length]?.id ?? 0 }, body: {} });
    }),
  );
});

const deliveriesTo = ({ world }: Scene, { id }: StoredDestination) =>
  ofKind(world, "delivery").filter(({ destination_id }) => destination_id === id);

/** Requests that the events of a time span be sent again, as after an outage of the receiver. */
const resendSpan = withDestination(async (scene, { as, params }) => {
  const { chance, world } = scene;
  const since = new Date(world.timeline.now - chance.next() * (chance.is(0.5) ? 6 : 400) * hour).toISOString();
  const status = chance.pick([undefined, "failed", "pending"]);
  await scene.call(resendMany, { as, params, body: { since, ...(status && { status }) } });
});

const resendSome: Act = async (scene) => {
  const { chance } = scene;
  const given = aDestination(scene, (one) => deliveriesTo(scene, one).length > 0);
  if (!given) return;
  const { destination, as, params } = given;
  const ids = deliveriesTo(scene, destination).map(({ id }) => Number(id));
  const some = chance.shuffle(ids).slice(0, chance.integer(1, 4));
  const [first] = some;
  if (first === undefined) return;
  if (chance.is(0.5)) await scene.call(resendMany, { as, params, body: { delivery_ids: some } });
  else await scene.call(resendOne, { as, params: { ...params, delivery_id: first }, body: {} });
};

/** An owner creates or enables a destination while the community is transferred to somebody else. */
const keepThrough: Act = async (scene) => {
  const { chance, world } = scene;
  const community = scene.community();
  const as = { id: community.owner_id };
  const owner_id = scene.heir(community);
  const own = aDestination(scene, ({ community_id }) => community_id === community.id);
  const transfer = async () => {
    await world.timeline.wait(chance.next() * 60);
    const change = { owner_id };
    const call = { as: admin, params: { id: community.id }, body: { community: change } };
    noteWrite(scene, "community", community.id, change, await scene.call(updateCommunity, call));
  };
  const keep = async () => {
    await world.timeline.wait(chance.next() * 60);
    const event_destination = { url: urlOf(scene), events: ["*"] };
    if (!own || chance.is(0.5))
      return scene.send(create, {
        as,
        params: { community_id: community.id },
        body: { event_destination },
        receiver: event_destination.url,
      });
    const status = own.destination.status === "enabled" ? "disabled" : "enabled";
    return scene.send(update, { as, params: own.params, body: { event_destination: { status } } });
  };
  await Promise.all([transfer(), keep()]);
};

const look: Act = async (scene) => {
  const given = aDestination(scene);
  if (!given) return;
  const { community, as, params } = given;
  await scene.call(list, { as, params: { community_id: community.id }, query: "per=3" });
  await scene.call(show, { as, params });
  await scene.call(listDeliveries, { as, params, query: "per=5" });
};

/** People who forward the events of a community to another system. */
export const ownersOfDestinations: Repertoire = {
  weight: 12,
  acts: {
    create: [8, newDestination],
    createMany: [0.3, newDestinations],
    edit: [5, edit],
    enable: [5, enable],
    rotate: [
      1.5,
      withDestination(async (scene, { destination, as, params }) => {
        await scene.call(rotate, { as, params, body: {}, receiver: destination.url });
      }),
    ],
    remove: [1.5, withDestination((scene, { as, params }) => scene.call(remove, { as, params }))],
    pingOften: [2, pingOften],
    resendSpan: [3, resendSpan],
    resendSome: [4, resendSome],
    keepThrough: [2, keepThrough],
    look: [2, look],
  },
};
