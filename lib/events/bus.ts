import { PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { eventBridgeClient } from "../aws.ts";
import type { DomainEvent } from "../contract/events.ts";
import { env } from "../env.ts";

/**
 * Sends up to ten events to the bus, until `signal` aborts.
 *
 * @returns the first event that the bus rejected, with the reason; it may have accepted others
 */
export type Publish = (events: readonly DomainEvent[], signal?: AbortSignal) => Promise<Refusal | undefined>;

export type Refusal = { readonly event: DomainEvent; readonly reason: string };

/** How long to wait for EventBridge, in milliseconds. */
const requestHandler = { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true };

/** Connects to the bus `EVENT_BUS_NAME`. */
export function connectBus(
  client = eventBridgeClient({ requestHandler }),
  EventBusName = env("EVENT_BUS_NAME"),
): Publish {
  return async (events, signal) => {
    const Entries = events.map((event) => ({
      EventBusName,
      Source: "odis",
      DetailType: event.type,
      Time: new Date(event.timestamp),
      Detail: JSON.stringify(event),
    }));
    // The status is 200 even if the bus rejects all events.
    const { Entries: answers = [] } = await client.send(
      new PutEventsCommand({ Entries }),
      signal && { abortSignal: signal },
    );
    const n = events.findIndex((_, at) => answers[at]?.EventId === undefined);
    const event = events[n];
    return event && { event, reason: answers[n]?.ErrorCode ?? "There is no answer" };
  };
}
