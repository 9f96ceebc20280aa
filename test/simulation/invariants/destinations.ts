import type { StoredDestination } from "#lib/store/destinations.ts";
import * as destinations from "#lib/store/destinations.ts";
import type { Item } from "#lib/store/expression.ts";
import { type Key, kindOf } from "#lib/store/keys.ts";
import { admin } from "../actors/scene.ts";
import { itemFromWire } from "../table/native.ts";
import type { StreamRecord } from "../table/stream.ts";
import type { Attempt } from "../world/receivers.ts";
import { ofKind } from "../world/records.ts";
import type { World } from "../world/world.ts";

const [second, minute, day] = [1000, 60_000, 86_400_000];
/**
 * Maximum clock skew, in milliseconds. A function also needs less than `slack` between a read and the write that
 * depends on it.
 */
const slackOfClocks = 10 * second;
const slack = minute + slackOfClocks;

type Image = StreamRecord["dynamodb"]["NewImage"];
const native = (image: Image): (Item & Key) | undefined => image && (itemFromWire(image, (list) => list) as Item & Key);

type Version = {
  readonly at: number;
  readonly before: StoredDestination | undefined;
  readonly after: StoredDestination | undefined;
  /** Number of transfers of the community before the destination was last enabled. */
  readonly enabledUnder: number;
};

type History = {
  /** All versions of each destination, by id. */
  readonly destinations: ReadonlyMap<number, readonly Version[]>;
  /** Times of the transfers of each community. */
  readonly transfers: ReadonlyMap<number, readonly number[]>;
};

export function destinationHistory(world: World): History {
  const found = new Map<number, Version[]>();
  const transfers = new Map<number, number[]>();
  for (const { at, record } of world.changes) {
    const { Keys, OldImage, NewImage } = record.dynamodb;
    if (Keys.sk?.S === "COMMUNITY" && NewImage?.owner_id && OldImage?.owner_id?.N !== NewImage.owner_id.N)
      append(transfers, Number(NewImage.id?.N), at);
    if (!Keys.sk?.S?.startsWith("DESTINATION#")) continue;
    const [was, is] = [native(OldImage), native(NewImage)];
    const [before, after] = [was && destinations.fromItem(was), is && destinations.fromItem(is)];
    const { id = 0, community_id = 0 } = after ?? before ?? {};
    const isEnabledNow = before?.enabled_at !== after?.enabled_at;
    const owners = transfers.get(community_id)?.length ?? 0;
    const enabledUnder = isEnabledNow ? owners : (found.get(id)?.at(-1)?.enabledUnder ?? owners);
    append(found, id, { at, before, after, enabledUnder });
  }
  return { destinations: found, transfers };
}

function append<T>(lists: Map<number, T[]>, id: number, one: T): void {
  const list = lists.get(id);
  if (list) list.push(one);
  else lists.set(id, [one]);
}

/** Pings are sent only on request, whatever the status of the destination. */
const isPing = ({ event }: Attempt): boolean => event.type === "ping";

const hostOf = (url: string): string => new URL(url).hostname;

/** The delivery attempts to each receiver, without pings. */
function attemptsByHost(world: World): Map<string, Attempt[]> {
  return Map.groupBy(
    world.receivers.attempts.filter((attempt) => !isPing(attempt)),
    ({ url }) => hostOf(url),
  );
}

/**
 * A community has at most ten destinations, each change of a destination has an audit entry, and only the owner changes
 * destinations.
 */
export function assertDestinations(world: World): void {
  for (const [pk, those] of Map.groupBy(ofKind(world, "destination"), (one) => one.pk))
    if (those.length > 10) world.violate("limits", `${pk} has ${those.length} destinations`);
  const entries = Map.groupBy(
    ofKind(world, "activity").flatMap(({ record }) => {
      const { type, id } = (record ?? {}) as { readonly type?: string; readonly id?: number };
      return type === "event_destination" ? [Number(id)] : [];
    }),
    (id) => id,
  );
  for (const [id, versions] of destinationHistory(world).destinations) {
    const changes = versions.filter(({ before, after }) => before?.version !== after?.version).length;
    const written = entries.get(id)?.length ?? 0;
    if (changes !== written)
      world.violate("audit entries", `destination ${id} was changed ${changes} times and has ${written} entries`);
  }
  assertOwned(world);
}

/** A user who creates or edits a destination owns the community at that moment. */
function assertOwned(world: World): void {
  const owners = new Map<string, number>();
  for (const { record } of world.changes) {
    const { Keys, NewImage } = record.dynamodb;
    const key = { pk: Keys.pk?.S ?? "", sk: Keys.sk?.S ?? "" };
    if (!NewImage || !key.pk.startsWith("COMMUNITY#")) continue;
    if (key.sk === "COMMUNITY") owners.set(key.pk, Number(NewImage.owner_id?.N));
    if (kindOf(key) !== "activity" || NewImage.record?.M?.type?.S !== "event_destination") continue;
    const actor = Number(NewImage.actor?.M?.id?.N);
    if (NewImage.actor?.M?.type?.S !== "user" || actor === admin.id) continue;
    const community = key.pk.split("#").slice(0, 2).join("#");
    if (owners.get(community) !== actor)
      world.violate("former owners", `user ${actor} has ${NewImage.action?.S} a destination of ${community}`);
  }
}

/**
 * Whether an attempt has failed. The outcome of an attempt that was moved to the slow queue after a second is unknown.
 */
function isFailure({ status, startedAt, endedAt }: Attempt): boolean {
  if (endedAt === undefined) return false;
  if (status === undefined) return endedAt - startedAt > 14 * second;
  return status < 200 || status >= 300;
}

/** A destination is disabled only after the failures that docs/api.md, section 10, requires. */
export function assertDisabled(world: World): void {
  const attempts = attemptsByHost(world);
  for (const [id, versions] of destinationHistory(world).destinations)
    for (const { at, before, after } of versions) {
      if (before?.status !== "enabled" || after?.status !== "disabled") continue;
      const wrong = (text: string) =>
        world.violate("disabled", `destination ${id} is ${after.disabled_reason}, ${text}`);
      const since = Math.max(...[before.enabled_at, before.last_success_at].map((time) => Date.parse(time ?? "1970")));
      const failures = (attempts.get(hostOf(before.url)) ?? []).filter(
        (one) => isFailure(one) && one.at <= at && (one.endedAt ?? 0) > since - slack,
      );
      if (after.disabled_reason === "gone" && !failures.some(({ status }) => status === 410))
        wrong("and has not answered 410");
      if (after.disabled_reason !== "failing") continue;
      if (failures.length < 3) wrong(`after ${failures.length} failures`);
      if (new Set(failures.map(({ event }) => event.id)).size < 2) wrong("after failures of one delivery");
      const from = Math.min(...failures.map((one) => one.at));
      if (at - from < 5 * day - slack) wrong(`${(at - from) / day} days after the first failure`);
    }
}

/**
 * A function that begins after a destination was disabled, or after its community was transferred, sends nothing to
 * that destination. The only exception is the event that it was disabled.
 */
export function assertFormerOwners(world: World): void {
  const { destinations: all, transfers } = destinationHistory(world);
  // A request that is repeated after its key has expired creates another destination with the same receiver.
  const byHost = new Map<string, Set<number>>();
  for (const [id, versions] of all)
    for (const { after } of versions) {
      if (!after) continue;
      const host = hostOf(after.url);
      byHost.set(host, (byHost.get(host) ?? new Set()).add(id));
    }
  for (const [host, attempts] of attemptsByHost(world)) {
    const ids = [...(byHost.get(host) ?? [])];
    for (const attempt of attempts)
      if (!ids.some((id) => isRightful(attempt, id, all.get(id) ?? [], transfers)))
        world.violate("former owners", `destination ${ids.join()} got ${attempt.event.type} ${attempt.event.id}`);
  }
}

/** Whether a destination was allowed to receive events at some time while the function that made the attempt ran. */
function isRightful(
  { at, invocation, event }: Attempt,
  id: number,
  versions: readonly Version[],
  transfers: History["transfers"],
): boolean {
  if (event.type === "event_destination.disabled" && event.subject === `event_destinations/${id}`) return true;
  const from = invocation.startedAt;
  const ofCommunity = transfers.get(versions[0]?.after?.community_id ?? 0) ?? [];
  const owners = ofCommunity.filter((time) => time <= from).length;
  const standing = versions.findLast((one) => one.at <= from);
  const later = versions.filter((one) => one.at > from && one.at <= at);
  return [standing, ...later].some((one) => one?.after?.status === "enabled" && one.enabledUnder >= owners);
}

/** At most two pings of a community wait at the same time, each for at most five seconds. */
export function assertPings(world: World): void {
  const pings = world.receivers.attempts.filter(isPing);
  for (const [communityId, those] of Map.groupBy(pings, ({ event }) => event.community_id))
    for (const { at } of those) {
      const open = those.filter((one) => one.at <= at && at < (one.endedAt ?? Number.POSITIVE_INFINITY)).length;
      if (open > 2) world.violate("pings", `${open} pings of community ${communityId} wait at once`);
    }
  for (const { at, endedAt = world.timeline.now, url } of pings)
    if (endedAt - at > 5 * second) world.violate("pings", `a ping to ${url} waits for ${endedAt - at} ms`);
}
