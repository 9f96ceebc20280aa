import { isDeepStrictEqual } from "node:util";
import type { StoredDestination } from "#lib/store/destinations.ts";
import { kindOf } from "#lib/store/keys.ts";
import { allMembers } from "../actors/destinations.ts";
import { admin, Scene } from "../actors/scene.ts";
import { type Known, memberFields } from "../world/receivers.ts";
import { destinationsOf, ofKind } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { destinationHistory } from "./destinations.ts";

type Event = { readonly subject: string; readonly sequence: number };

type Delivery = {
  readonly id: number;
  readonly destination_id: number;
  readonly status: string;
  readonly attempts_made: number;
  readonly is_last: boolean;
  readonly created_at: string;
};

const deliveriesOf = (world: World) => ofKind(world, "delivery") as unknown as Delivery[];

/** Every delivery ends. If its destination has been enabled since, it was delivered or has failed ten times. */
export function assertDeliveries(world: World): void {
  const all = new Map(destinationsOf(world).map((one) => [one.id, one]));
  for (const { id, destination_id, status, attempts_made, created_at, is_last } of deliveriesOf(world)) {
    const destination = all.get(destination_id);
    if (!destination) continue;
    const wrong = (text: string) => world.violate("deliveries", `delivery ${id} to ${destination_id} is ${text}`);
    // A receiver that never learned its secret refuses all deliveries, and the last ones are still being retried.
    const isRefused = world.receivers.at(destination.url).doubts > 0;
    if (status === "pending" && !isRefused) wrong(`still pending, after ${attempts_made} attempts`);
    if (destination.status !== "enabled" || created_at < destination.enabled_at || is_last) continue;
    if (status === "failed" && attempts_made < 10) wrong(`failed, after ${attempts_made} attempts`);
  }
}

/** A successful delivery keeps its status, even if another attempt fails. */
export function assertDelivered(world: World): void {
  for (const { at, record } of world.changes) {
    const { Keys, OldImage, NewImage } = record.dynamodb;
    if (OldImage?.status?.S !== "delivered" || !NewImage || NewImage.status?.S === "delivered") continue;
    if (kindOf({ pk: Keys.pk?.S ?? "", sk: Keys.sk?.S ?? "" }) !== "delivery") continue;
    world.violate("deliveries", `delivery ${NewImage.id?.N} was delivered, and is ${NewImage.status?.S} at ${at}`);
  }
}

const everything = ["*", "member.*"];

/** A receiver that follows the guide knows what the API returns, except for events whose delivery was abandoned. */
export async function assertReceivers(world: World): Promise<void> {
  const history = destinationHistory(world);
  const members = new Map<number, Awaited<ReturnType<typeof allMembers>>>();
  for (const destination of destinationsOf(world)) {
    const { id, community_id, url, status, events } = destination;
    const receiver = world.receivers.at(url);
    const begun = (history.destinations.get(id) ?? []).findLast(({ before, after }) => !isSame(before, after))?.at ?? 0;
    const isWhole = everything.some((one) => events.includes(one));
    if (status !== "enabled" || receiver.readSince < begun || !(isWhole || events.includes("access.*"))) continue;
    if (receiver.doubts > 0) continue;
    const scene = new Scene(world, `receiver ${id} at ${world.timeline.now}`);
    if (!members.has(community_id)) members.set(community_id, await allMembers(scene, admin, community_id));
    const lost = lostOf(world, destination);
    for (const [subject, shown] of members.get(community_id) ?? []) {
      const known = receiver.known.get(subject);
      if ((lost.get(subject) ?? 0) > (known?.sequence ?? 0)) continue;
      const differing = differenceOf(known, shown, isWhole);
      if (differing)
        world.violate("receivers", `destination ${id} of ${community_id} has another ${differing} of ${subject}`);
    }
  }
}

/** Whether a destination subscribes to the same events before and after a change. */
const isSame = (before: StoredDestination | undefined, after: StoredDestination | undefined): boolean =>
  before?.enabled_at === after?.enabled_at && isDeepStrictEqual(before?.events, after?.events);

function differenceOf(known: Known | undefined, shown: Known, isWhole: boolean): string | undefined {
  if (!known) return isWhole || shown.isGranted ? "state, none," : undefined;
  if (known.isGranted !== shown.isGranted) return "access";
  return isWhole ? memberFields.find((name) => !isDeepStrictEqual(known.member[name], shown.member[name])) : undefined;
}

/**
 * The highest sequence of each subject whose delivery to a destination was abandoned after ten attempts. Deliveries are
 * kept for 30 days.
 */
function lostOf(world: World, { id }: StoredDestination): Map<string, number> {
  const lost = new Map<string, number>();
  const bodies = new Map<string, Event>(world.bus.map((event) => [event.id, event]));
  for (const { record } of world.changes) {
    const { Keys, NewImage } = record.dynamodb;
    const isFailed = Keys.sk?.S?.startsWith("DELIVERY#") && NewImage?.status?.S === "failed";
    if (!isFailed || Number(NewImage.destination_id?.N) !== id) continue;
    const event = bodies.get(NewImage.event_id?.S ?? "");
    if (!event) continue;
    const { subject, sequence } = event;
    lost.set(subject, Math.max(sequence, lost.get(subject) ?? 0));
  }
  return lost;
}
