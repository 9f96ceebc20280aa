import { countFailure, disabledBy, maxAttempts, maxLastAttempts } from "../domain/delivery.ts";
import { isLoopbackUrl } from "../domain/destination.ts";
import type { Outcome } from "../fields/delivery.ts";
import { measure } from "../log.ts";
import type { StoredDelivery } from "../store/deliveries.ts";
import * as deliveries from "../store/deliveries.ts";
import { disable, noteFailure, noteSuccess, noteSlow as storeSlow } from "../store/destination-state.ts";
import type { StoredDestination } from "../store/destinations.ts";
import { bodyOf } from "../store/events.ts";
import type { Writer } from "../store/table.ts";
import { isLoopbackAddress, isPublicAddress } from "./address.ts";
import { longestTimeoutMs, post } from "./post.ts";
import { allowsLoopback } from "./reach.ts";
import type { Sealing } from "./sealing.ts";
import { signedHeaders } from "./signing.ts";

type Sent = {
  readonly eventId: string;
  readonly body: string;
  /** Time limit for the response, in milliseconds. */
  readonly timeoutMs: number;
};

/** Sends an event to a destination once, and stores nothing. */
export function send(
  { runtime }: Pick<Writer, "runtime">,
  destination: StoredDestination,
  { eventId, body, timeoutMs }: Sent,
  sealing: Sealing,
): Promise<Outcome> {
  const headers = signedHeaders(destination, { eventId, body, at: runtime.now() }, sealing);
  const isLocal = allowsLoopback() && isLoopbackUrl(destination.url);
  const mayConnect = isLocal ? isLoopbackAddress : isPublicAddress;
  return post({ url: destination.url, headers, body, timeoutMs }, { ...runtime, mayConnect });
}

/**
 * Response time from which a destination is slow, in milliseconds. Deliveries to slow destinations have a separate queue, so
 * that they do not delay others.
 */
const slowFrom = 1000;

/** Whether deliveries to a destination use the queue of slow destinations. */
const isSlow = ({ slow_until }: StoredDestination, now: Date): boolean =>
  slow_until !== undefined && slow_until > now.toISOString();

/** The dependencies of an attempt. */
export type Sender = { readonly table: Writer; readonly sealing: () => Promise<Sealing> };

/**
 * Attempts a delivery, and stores the outcome in the delivery and the destination. Waits for a slow response only if the
 * message is in the queue of slow destinations.
 *
 * @returns the delivery; undefined if the queue of slow destinations has to repeat the attempt. In that case the receiver may
 * have accepted the event, and recognizes it by its id.
 */
export async function attempt(
  { is_slow }: { readonly is_slow: boolean },
  { delivery, destination }: { readonly delivery: StoredDelivery; readonly destination: StoredDestination },
  { table, sealing }: Sender,
): Promise<StoredDelivery | undefined> {
  const at = table.runtime.now();
  if (!is_slow && isSlow(destination, at)) return undefined;
  const body = delivery.body || (await bodyOf(table, delivery.event_id));
  if (body === undefined) {
    await deliveries.drop(table, delivery);
    return { ...delivery, status: delivery.status === "pending" ? "failed" : delivery.status };
  }
  const timeoutMs = is_slow ? longestTimeoutMs : slowFrom;
  const sent = { eventId: delivery.event_id, body, timeoutMs };
  const outcome = await send(table, destination, sent, await sealing());
  if (outcome.error === "timeout" || outcome.duration_ms > slowFrom) await noteSlow(table, destination);
  if (outcome.error === "timeout" && !is_slow) return undefined;
  return keep(table, delivery, destination, { at, outcome });
}

/** Stores the outcome of an attempt. */
async function keep(
  table: Writer,
  delivery: StoredDelivery,
  destination: StoredDestination,
  { at, outcome }: { readonly at: Date; readonly outcome: Outcome },
): Promise<StoredDelivery> {
  const now = table.runtime.now();
  const done = { at: at.toISOString(), ...outcome };
  const stored = await deliveries.addAttempt(table, delivery, done, (current) => statusAfter(current, outcome));
  if (destination.status === "enabled")
    await noteOutcome(table, destination, { outcome, deliveryId: delivery.id }, now);
  return stored;
}

/** How long a destination counts as slow after a slow response, in milliseconds. */
const slowFor = 60 * 60 * 1000;

/** Stores that a destination is slow, unless this was stored recently. */
async function noteSlow(table: Writer, destination: StoredDestination): Promise<void> {
  const now = table.runtime.now().getTime();
  if (isSlow(destination, new Date(now + slowFor / 2))) return;
  await storeSlow(table, destination, new Date(now + slowFor));
}

async function noteOutcome(
  table: Writer,
  destination: StoredDestination,
  { outcome, deliveryId }: { readonly outcome: Outcome; readonly deliveryId: number },
  now: Date,
): Promise<void> {
  if (outcome.error === null) return noteSuccess(table, destination, now);
  measure("deliveries_failed");
  const failing_since = destination.failing_since ?? now.toISOString();
  const failures = countFailure(destination.failures, deliveryId);
  const reason = disabledBy(outcome, failures, failing_since, now);
  if (!reason) return noteFailure(table, destination, { failing_since, failures });
  measure("destinations_disabled");
  return disable(table, destination, { reason, now, failing_since, failures });
}

/**
 * Stores in a destination that a delivery has succeeded, if the function that delivered it crashed before that. Otherwise
 * the destination could be disabled although it has responded.
 */
export async function noteDelivered(
  table: Writer,
  destination: StoredDestination,
  { status, attempts }: Pick<StoredDelivery, "status" | "attempts">,
): Promise<void> {
  const last = attempts.at(-1);
  if (status !== "delivered" || !last) return;
  if (destination.status !== "enabled" || destination.failing_since === null) return;
  const at = new Date(Date.parse(last.at) + last.duration_ms);
  if (at.toISOString() > destination.failing_since) await noteSuccess(table, destination, at);
}

/** The status after an attempt. A completed delivery keeps its status, unless a resend succeeds. */
function statusAfter(
  { status, attempts_made, is_last }: StoredDelivery,
  { error, status_code }: Outcome,
): StoredDelivery["status"] {
  if (error === null) return "delivered";
  const isEnded = is_last
    ? status_code === 410 || attempts_made + 1 >= maxLastAttempts
    : attempts_made + 1 >= maxAttempts;
  return status === "pending" && isEnded ? "failed" : status;
}
