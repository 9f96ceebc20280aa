import { ping } from "#lib/contract/destinations.ts";
import { send } from "#lib/delivery/attempt.ts";
import { openSealing } from "#lib/delivery/sealing.ts";
import { sequenceIn } from "#lib/epoch.ts";
import { destinationInPath } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { newUuid } from "#lib/ids.ts";

export const handler = endpoint(
  ping,
  destinationInPath,
  async ({ record, table, now }) => {
    const { id, community_id, version } = record;
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
    return send(table, record, { eventId, body: JSON.stringify(event) }, await openSealing(table.signal));
  },
  { writesInSteps: true },
);
