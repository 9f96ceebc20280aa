import { isDeepStrictEqual } from "node:util";
import { eventsFrom } from "#lib/events/from-record.ts";
import { recordFrom } from "#lib/store/stream-records.ts";
import type { World } from "../world/world.ts";

/** Every change has an event, and events with the same id are identical. */
export function assertEvents(world: World): void {
  const told = new Map<string, unknown>();
  for (const event of world.bus) {
    if (told.has(event.id) && !isDeepStrictEqual(told.get(event.id), event))
      world.violate("events", `two events have the id ${event.id}`);
    told.set(event.id, event);
  }
  for (const record of world.storage.stream.records)
    for (const { id, type } of eventsFrom(recordFrom(record), 0))
      if (!told.has(id)) world.violate("events", `nobody was sent ${type} ${id}`);
}
