import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type PlacedRoute, routes } from "#lib/contract/index.ts";
import { pathParameters } from "#lib/contract/route.ts";
import type { Endpoint } from "#lib/http/handler.ts";
import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { handler as showMembership } from "../../../functions/membership/show.ts";
import {
  apiKeysOf,
  benefitsOf,
  brandsOf,
  destinationsOf,
  invitationsOf,
  membersOf,
  ofKind,
  placesOf,
  type ShownCommunity,
  tiersOf,
} from "../world/records.ts";
import type { As, Call } from "../world/requests.ts";
import type { Act, Repertoire } from "./act.ts";
import { setBlock } from "./blocking.ts";
import { noteWrite } from "./owners-communities.ts";
import { admin, editor, type Scene } from "./scene.ts";

const folder = join(import.meta.dirname, "../../../functions");

type Asked = { readonly route: PlacedRoute; readonly endpoint: Endpoint };

/** Stripe signs the requests to its webhook, and requests to unknown paths are not about records. */
const endpoints: readonly Asked[] = await Promise.all(
  routes
    .filter(({ area, path }) => area !== "webhooks" && path !== "$default")
    .map(async (route) => {
      const file = pathToFileURL(join(folder, route.area, `${route.file}.ts`)).href;
      return { route, endpoint: ((await import(file)) as { readonly handler: Endpoint }).handler };
    }),
);

/** The routes that pairs call most. Others read only what decides that the request is refused, or are about other records. */
const often = endpoints.filter(({ route: { method, path } }) => method === "GET" && /member|team|brand/.test(path));

/** The records of a community that a path may name, by their name in the path. */
function recordsOf({ world }: Scene, { id }: ShownCommunity) {
  const own = <T extends { readonly community_id: number }>(all: readonly T[]) =>
    all.filter(({ community_id }) => community_id === id);
  return {
    communities: [{ id }],
    members: own(membersOf(world)),
    tiers: own(tiersOf(world)),
    benefits: own(benefitsOf(world)),
    event_destinations: own(destinationsOf(world)),
    team: own(placesOf(world)).map(({ user_id }) => ({ id: user_id })),
    api_keys: own(apiKeysOf(world)),
    invitations: own(invitationsOf(world)),
    deliveries: ofKind(world, "delivery") as readonly { readonly id?: unknown }[],
    users: own(membersOf(world)).map(({ user }) => user),
    brands: brandsOf(world),
    producers: brandsOf(world).flatMap(({ producer_ids }) => producer_ids.map((one) => ({ id: one }))),
  };
}

/** Parameters for a path: ids of existing records of a community, or ids that do not exist. */
function paramsFor(scene: Scene, { path, ids }: PlacedRoute, community: ShownCommunity): Call["params"] {
  const records: Readonly<Record<string, readonly { readonly id?: unknown }[]>> = recordsOf(scene, community);
  const unknown = ids === "uuid" ? "00000000-0000-4000-8000-000000000000" : 1;
  return Object.fromEntries(
    pathParameters(path).map(({ name, things }) => {
      const id = scene.pick((records[things] ?? []) as readonly { readonly id: number }[])?.id;
      return [name, typeof id === "string" || typeof id === "number" ? id : unknown];
    }),
  );
}

/**
 * Calls a route. The request has no effect even if the caller gets the right meanwhile: its body is invalid, and its
 * version does not exist.
 */
async function probe(scene: Scene, as: As | undefined, community: ShownCommunity): Promise<void> {
  const { chance, world } = scene;
  const asked = chance.pick(scene.subject() && chance.is(0.5) ? often : endpoints);
  if (!asked) return;
  const { route, endpoint } = asked;
  const harmless = { headers: { "if-match": '"none"' }, body: { nothing_of_this_name: true } };
  const call = { as, params: paramsFor(scene, route, community) ?? {}, ...(route.method !== "GET" && harmless) };
  const own = [world.erasing.me, world.erasing.anybody].find((one) => one.route.path === route.path);
  await scene.send(route.path.endsWith("/explore") ? "explore" : (own ?? endpoint), call);
}

/** Calls routes at random moments of a short time, in milliseconds. In pairs, there are many calls. */
export async function probeOften(
  scene: Scene,
  as: As | undefined,
  community: ShownCommunity,
  { count, within }: { readonly count: number; readonly within: number },
): Promise<void> {
  const { chance, world } = scene;
  const delays = Array.from({ length: scene.subject() ? 24 : count }, () => chance.next() * within);
  await Promise.all(delays.map((delay) => world.timeline.wait(delay).then(() => probe(scene, as, community))));
}

/** Callers who have no right in a community. Each may turn out not to exist. */
const callers: Readonly<Record<string, (scene: Scene, community: ShownCommunity) => As | undefined>> = {
  nobody: () => undefined,
  newcomer: ({ chance }) => ({ id: chance.integer(40, 44) }),
  /** People who have left a group, with the token of a later sign-in. */
  formerAdmin: () => ({ id: admin.id }),
  formerEditor: () => ({ id: editor.id }),
  editor: () => editor,
  person: (scene) => ({ id: scene.person() }),
  formerOwner: ({ chance, world }, { id }) => {
    const images = world.changes.map(({ record }) => record.dynamodb.OldImage);
    const owner = chance.pick(images.filter((one) => one?.id?.N === String(id) && one.owner_id))?.owner_id;
    return owner && { id: Number(owner.N) };
  },
  teamMember: ({ chance, world }) => {
    const place = chance.pick(placesOf(world));
    return place && { id: place.user_id };
  },
  formerTeamMember: ({ chance, world }) => {
    const images = world.changes.map(({ record }) => record.dynamodb.OldImage);
    const place = chance.pick(images.filter((one) => one?.sk?.S?.startsWith("TEAM#") && one.user_id));
    return place && { id: Number(place.user_id?.N) };
  },
  blocked: ({ chance, world }) => {
    const member = chance.pick(membersOf(world).filter(({ is_blocked }) => is_blocked));
    return member && { id: member.user.id };
  },
  erased: ({ chance, world }) => {
    const id = chance.pick([...world.erased]);
    return id === undefined ? undefined : { id };
  },
};

/** Somebody without rights calls several routes about records of others. */
const pry: Act = async (scene) => {
  const { chance } = scene;
  const community = scene.community();
  const caller = callers[chance.pick(Object.keys(callers)) ?? ""];
  const as = caller?.(scene, community);
  await probeOften(scene, as, community, { count: 4, within: 200 });
};

/** An owner continues to call routes while the community is transferred to somebody else, and afterwards. */
const stay: Act = async (scene) => {
  const community = scene.community();
  const owner_id = scene.heir(community);
  const transfer = async () => {
    const change = { owner_id };
    const call = { as: admin, params: { id: community.id }, body: { community: change } };
    noteWrite(scene, "community", community.id, change, await scene.call(updateCommunity, call));
  };
  const probing = probeOften(scene, { id: community.owner_id }, community, { count: 5, within: 400 });
  await Promise.all([transfer(), probing]);
};

/** A member looks at the membership while they are blocked or unblocked, and afterwards. */
const linger: Act = async (scene) => {
  const { chance, world } = scene;
  const managed = scene.managed();
  if (!managed) return;
  const { member } = managed;
  const delays = Array.from({ length: 5 }, () => chance.next() * 500);
  const own = { as: { id: member.user.id }, params: { community_id: member.community_id } };
  const looks = delays.map((delay) => world.timeline.wait(delay).then(() => scene.send(showMembership, own)));
  await Promise.all([setBlock(scene, managed, !member.is_blocked), ...looks]);
};

/** People without rights, or who have just lost them. */
export const strangers: Repertoire = { weight: 6, acts: { pry: [5, pry], stay: [1, stay], linger: [1, linger] } };
