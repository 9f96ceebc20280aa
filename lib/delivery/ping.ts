import { sequenceIn } from "../epoch.ts";
import type { Outcome } from "../fields/delivery.ts";
import { newUuid } from "../ids.ts";
import { Problem } from "../problem.ts";
import type { StoredDestination } from "../store/destinations.ts";
import { withLease } from "../store/lease.ts";
import { assertAuthorized } from "../store/ownership.ts";
import type { Writer } from "../store/table.ts";
import { send } from "./attempt.ts";
import { openSealing } from "./sealing.ts";

/** Time limit for the response to a ping, in milliseconds. */
const timeoutMs = 5000;
/** Slots of a community for concurrent pings. Each ping occupies a concurrent execution of the account. */
const slots = [0, 1];
/** Time limit of the function, in milliseconds. */
const longestMs = 10_000;

/**
 * Sends an event of type `ping` to a destination once, and stores nothing about it.
 *
 * @throws Problem `too_many_requests` while two other pings of the community are in progress
 */
export async function ping(table: Writer, destination: StoredDestination, now: Date): Promise<Outcome> {
  await assertAuthorized(table);
  for (const slot of slots) {
    const lease = { name: `pings/${destination.community_id}/${slot}`, longestMs };
    const outcome = await withLease(table, lease, () => sendPing(table, destination, now));
    if (outcome) return outcome;
  }
  throw new Problem("too_many_requests", {
    detail: `${slots.length} pings of this community are waiting for a response. Retry when they have ended`,
    headers: { "retry-after": String(timeoutMs / 1000) },
  });
}

async function sendPing(table: Writer, destination: StoredDestination, now: Date): Promise<Outcome> {
  const { id, community_id, version } = destination;
  const eventId = newUuid(table.runtime.random);
  const event = {
    id: eventId,
    type: "ping",
    timestamp: now.toISOString(),
    sequence: sequenceIn(table.runtime.epoch, version),
    subject: `event_destinations/${id}`,
    community_id,
    data: { event_destination: { id } },
    previous: {},
  };
  const message = { eventId, body: JSON.stringify(event), timeoutMs };
  return send(table, destination, message, await openSealing(table.signal));
}
