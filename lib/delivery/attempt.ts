import { disabledBy, maxAttempts, type Outcome } from "../domain/delivery.ts";
import { isLoopbackUrl } from "../domain/destination.ts";
import { measure } from "../log.ts";
import type { StoredDelivery } from "../store/deliveries.ts";
import * as deliveries from "../store/deliveries.ts";
import type { StoredDestination } from "../store/destinations.ts";
import * as destinations from "../store/destinations.ts";
import type { Writer } from "../store/table.ts";
import { isLoopbackAddress, isPublicAddress } from "./address.ts";
import { post } from "./post.ts";
import { allowsLoopback } from "./reach.ts";
import type { Sealing } from "./sealing.ts";
import { signedHeaders } from "./signing.ts";

/** Sends an event to a destination once, and changes nothing. */
export function send(
  { runtime }: Pick<Writer, "runtime">,
  destination: StoredDestination,
  { eventId, body }: { readonly eventId: string; readonly body: string },
  sealing: Sealing,
): Promise<Outcome> {
  const headers = signedHeaders(destination, { eventId, body, at: runtime.now() }, sealing);
  const isLocal = allowsLoopback() && isLoopbackUrl(destination.url);
  const mayConnect = isLocal ? isLoopbackAddress : isPublicAddress;
  return post({ url: destination.url, headers, body }, { ...runtime, mayConnect });
}

/** Attempts a delivery, stores what came of it, for the destination too, and returns the delivery with it. */
export async function attempt(
  table: Writer,
  delivery: StoredDelivery,
  destination: StoredDestination,
  sealing: Sealing,
): Promise<StoredDelivery> {
  const at = table.runtime.now();
  const outcome = await send(table, destination, { eventId: delivery.event_id, body: delivery.body }, sealing);
  const now = table.runtime.now();
  const done = { at: at.toISOString(), ...outcome };
  const stored = await deliveries.addAttempt(table, delivery, done, (current) => statusAfter(current, outcome));
  await noteOutcome(table, destination, outcome, now);
  return stored;
}

async function noteOutcome(table: Writer, destination: StoredDestination, outcome: Outcome, now: Date): Promise<void> {
  if (outcome.error === null) return destinations.noteSuccess(table, destination, now);
  measure("deliveries_failed");
  const failingSince = destination.failing_since ?? now.toISOString();
  const reason = disabledBy(outcome, failingSince, now);
  if (reason) measure("destinations_disabled");
  return destinations.noteFailure(table, destination, { failingSince, reason, now });
}

/** A delivery that has ended stays what it is, unless sending it again succeeds. */
function statusAfter({ status, attempts }: StoredDelivery, { error }: Outcome): StoredDelivery["status"] {
  if (error === null) return "delivered";
  return status === "pending" && attempts.length + 1 >= maxAttempts ? "failed" : status;
}
