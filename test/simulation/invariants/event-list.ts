import { isDeepStrictEqual } from "node:util";
import { communityOf, kindOf } from "#lib/store/keys.ts";
import { itemFromWire } from "../table/native.ts";
import type { World } from "../world/world.ts";

type Entry = { readonly pk: string; readonly sk: string; readonly number: number } & {
  readonly event_id: string;
  readonly stored_at: string;
};

/**
 * The list of a community has each event that was sent to the bus once, without gaps, and times that do not decrease. A
 * program that has read on from time to time has read each event after its first one, in this order.
 */
export function assertEventList(world: World): void {
  const lists = Map.groupBy(entriesOf(world), communityOf);
  const sent = Map.groupBy(world.bus, ({ community_id }) => community_id);
  for (const [community, events] of sent) {
    if (community === null) continue;
    const list = lists.get(community) ?? [];
    const wrong = (text: string) => world.violate("event list", `the events of ${community} ${text}`);
    const listed = list.map(({ event_id }) => event_id);
    if (!isDeepStrictEqual(listed.toSorted(), [...new Set(events.map(({ id }) => id))].toSorted()))
      wrong("differ from those that were sent");
    if (list.some(({ number }, n) => number !== n + 1)) wrong("have gaps");
    if (list.some(({ stored_at }, n) => stored_at < (list[n - 1]?.stored_at ?? ""))) wrong("are not sorted by time");
  }
  for (const [community, { ids }] of world.eventReaders.all) {
    const listed = (lists.get(community) ?? []).map(({ event_id }) => event_id);
    const from = listed.indexOf(ids[0] ?? "");
    if (ids.length > 0 && !isDeepStrictEqual(ids, listed.slice(from, from + ids.length)))
      world.violate("event list", `a reader of ${community} has missed, repeated or inserted events`);
  }
}

/** All entries that were ever stored, also those that have expired, in the order in which they were stored. */
const entriesOf = (world: World): Entry[] =>
  world.changes.flatMap(({ record: { dynamodb } }) => {
    const { NewImage } = dynamodb;
    const { pk, sk } = dynamodb.Keys;
    if (!NewImage || kindOf({ pk: pk?.S ?? "", sk: sk?.S ?? "" }) !== "listedEvent") return [];
    return [itemFromWire(NewImage, (list) => list) as unknown as Entry];
  });
