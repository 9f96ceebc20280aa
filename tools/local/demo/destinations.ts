import { openSealing } from "#lib/delivery/sealing.ts";
import { newSecret, storedSecret } from "#lib/delivery/secret.ts";
import type { Actor } from "#lib/store/activity.ts";
import { decideAgain } from "#lib/store/again.ts";
import * as communities from "#lib/store/communities.ts";
import * as destinations from "#lib/store/destinations.ts";
import type { Writer } from "#lib/store/table.ts";

const demoDestinations = [
  { community: 1, description: "The door of our Discord server", events: ["access.*"] },
  { community: 1, description: "Our bookkeeping", events: ["payment.*", "refund.*", "dispute.*"] },
] as const;

/** Adds event destinations. They are disabled, because nobody on this machine receives their events yet. */
export async function addDestinations(table: Writer, by: Actor): Promise<void> {
  const sealing = await openSealing();
  for (const { community, description, events } of demoDestinations) {
    const parent = await communities.open(table, community);
    const added = await decideAgain(table, async () => {
      const id = destinations.newDestinationId(table, by.now);
      const url = "http://127.0.0.1:4000/odis-events";
      const secret = storedSecret(newSecret(table.runtime), id, sealing);
      const others = await destinations.listOf(table, community);
      return destinations.add(table, parent, others, { id, url, events: [...events], description, ...secret }, by);
    });
    await decideAgain(table, () => destinations.update(table, parent, added, { status: "disabled" }, by));
  }
}
