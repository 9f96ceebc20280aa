import * as v from "valibot";
import { nextAttemptOf } from "../domain/delivery.ts";
import { isAskedFor } from "../domain/event-type.ts";
import type { StoredDelivery } from "../store/deliveries.ts";
import * as deliveries from "../store/deliveries.ts";
import { disable } from "../store/destination-state.ts";
import type { StoredDestination } from "../store/destinations.ts";
import * as destinations from "../store/destinations.ts";
import { bodyOf } from "../store/events.ts";
import { grantorOf } from "../store/ownership.ts";
import type { Writer } from "../store/table.ts";
import { attempt, noteDelivered, type Sender } from "./attempt.ts";
import { type Enqueue, ResendTask, Task } from "./queue.ts";
import { performResend } from "./resend-work.ts";

/** The parts of an event on the bus that are needed for delivery. */
const BusMessage = v.object({
  detail: v.looseObject({
    id: v.string(),
    type: v.string(),
    subject: v.string(),
    timestamp: v.string(),
    community_id: v.nullable(v.number()),
  }),
});
const Message = v.union([BusMessage, Task, ResendTask]);

/** The dependencies of the delivery worker. */
export type Delivering = Sender & { readonly enqueue: Enqueue };

/**
 * Handles a message of a delivery queue. An event becomes a delivery to each enabled destination that has selected its type,
 * with an immediate first attempt. A task is another attempt, or a page of a resend. Idempotent, except that an interrupted
 * attempt is repeated.
 *
 * @throws Error for any other message, which ends in the dead-letter queue
 */
export async function workOn(body: string, world: Delivering): Promise<void> {
  const message = v.parse(v.pipe(v.string(), v.parseJson(), Message), body);
  if ("detail" in message) return spread(message.detail, world);
  return "attempts" in message ? perform(message, world) : performResend(message, world);
}

type Event = v.InferOutput<typeof BusMessage>["detail"];

async function spread(event: Event, world: Delivering): Promise<void> {
  const { table } = world;
  if (event.community_id === null) return;
  const now = table.runtime.now();
  const [body, all] = await Promise.all([bodyOf(table, event.id), standingOf(table, event.community_id, now)]);
  const results = await Promise.allSettled(
    all.map(async (destination) => {
      const delivery = await deliveryOf(table, destination, { event, body }, now);
      if (delivery?.status !== "pending") return delivery && noteDelivered(table, destination, delivery);
      const { id: delivery_id, community_id, destination_id } = delivery;
      const task = { community_id, destination_id, delivery_id, attempts: 0, due_at: now.getTime(), is_slow: false };
      await proceed(task, { destination, delivery }, world);
    }),
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** An event of the bus, with the body of the stored event. */
type ReadEvent = { readonly event: Event; readonly body: string | undefined };

/**
 * The delivery of an event to a destination that has selected its type. A delivery that an earlier failed run has stored
 * stays due, even if the destination has changed since.
 */
const deliveryOf = (table: Writer, destination: StoredDestination, { event, body }: ReadEvent, now: Date) =>
  isAddressed(destination, event)
    ? deliveries.add(table, destination, { event, body, isLast: isLastOf(destination, event) }, now)
    : deliveries.findOfEvent(table, destination.id, event);

/**
 * The destinations of a community. A destination whose right has ended is first stored as disabled, which causes its
 * last event.
 */
async function standingOf(table: Writer, communityId: number, now: Date): Promise<StoredDestination[]> {
  const [stored, community] = await Promise.all([
    destinations.listOf(table, communityId),
    grantorOf(table, communityId),
  ]);
  return Promise.all(
    stored.map(async (destination) => {
      const standing = destinations.standingIn(community, destination, table.runtime);
      const reason = standing.disabled_reason;
      if (standing !== destination && reason) await disable(table, destination, { reason, now });
      return standing;
    }),
  );
}

type Addressed = { readonly type: string; readonly subject: string };

const isAddressed = (destination: StoredDestination, event: Addressed): boolean =>
  destination.status === "enabled" ? isAskedFor(event.type, destination.events) : isLastOf(destination, event);

/**
 * Whether an event reports that its destination was disabled for another reason than a request. Such an event is sent
 * even if its type is not selected.
 */
const isLastOf = ({ id, status, disabled_reason }: StoredDestination, event: Addressed): boolean =>
  event.type === "event_destination.disabled" &&
  event.subject === `event_destinations/${id}` &&
  status === "disabled" &&
  disabled_reason !== null;

async function perform(task: Task, world: Delivering): Promise<void> {
  const { table, enqueue } = world;
  const now = table.runtime.now();
  if (task.due_at > now.getTime()) return enqueue([task], now);
  const { community_id, destination_id, delivery_id } = task;
  const [stored, delivery, community] = await Promise.all([
    destinations.find(table, community_id, destination_id),
    deliveries.find(table, destination_id, delivery_id),
    grantorOf(table, community_id),
  ]);
  if (!stored || !delivery) return;
  const destination = destinations.standingIn(community, stored, table.runtime);
  if (delivery.status !== "pending") return noteDelivered(table, destination, delivery);
  return proceed(task, { destination, delivery }, world);
}

type Read = { readonly destination: StoredDestination; readonly delivery: StoredDelivery };

/**
 * Attempts a delivery, unless the attempt was made already, and queues the next attempt. Ends the delivery if its destination
 * has been disabled since the delivery was stored.
 */
async function proceed(task: Task, read: Read, world: Delivering): Promise<void> {
  const { destination, delivery } = read;
  const { runtime } = world.table;
  if (deliveries.standingAt(destination, delivery).status === "failed") return deliveries.drop(world.table, delivery);
  // If the attempt was stored, the next one may still have to be queued.
  const isMade = delivery.attempts_made > task.attempts;
  const after = isMade ? delivery : await attempt(task, read, world);
  if (!after) return world.enqueue([{ ...task, is_slow: true }], runtime.now());
  const next = nextAttemptOf(after, runtime.random);
  if (!next) return;
  await world.enqueue([{ ...task, attempts: after.attempts_made, due_at: next.getTime() }], runtime.now());
}
