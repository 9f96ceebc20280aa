import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { keptAttempts, keptDays } from "../domain/delivery.ts";
import { type Attempt, deliveryFields } from "../fields/delivery.ts";
import { type SetBy, storedEntries } from "../fields/field.ts";
import { firstIdAt, seededId } from "../ids.ts";
import type { StoredDestination } from "./destinations.ts";
import type { Item } from "./expression.ts";
import { Conflict } from "./failure.ts";
import { type Key, keys } from "./keys.ts";
import { type Page, pageByCursor } from "./newest-first.ts";
import type { Reader, Writer } from "./table.ts";
import { write } from "./write.ts";

const StoredDelivery = v.object(storedEntries(deliveryFields));
export type StoredDelivery = v.InferOutput<typeof StoredDelivery>;

export const fromItem = (item: Item): StoredDelivery => {
  const { attempts } = item;
  return v.parse(StoredDelivery, { attempts_made: Array.isArray(attempts) ? attempts.length : 0, ...item });
};

/** The fields of an event that its delivery depends on. */
export type Deliverable = {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
};

/** An event that is to be delivered. */
type Posted = {
  readonly event: Deliverable;
  /** The body of the stored event. Undefined for an event of an earlier version, which is stored in its deliveries. */
  readonly body?: string | undefined;
  readonly isLast: boolean;
};

/** How long a delivery is kept, in seconds. */
const lifetime = keptDays * 24 * 60 * 60;

/**
 * Stores that an event is to be delivered to a destination. Idempotent: the id of the delivery is derived from the
 * event. If another event of the same millisecond has the id, the next free id is used.
 */
export async function add(
  table: Writer,
  destination: Pick<StoredDestination, "id" | "community_id" | "enabled_at">,
  { event, body, isLast }: Posted,
  now: Date,
): Promise<StoredDelivery> {
  // `enabled_at` may be later than the current time, because it was set by another function's clock.
  const created_at = [now.toISOString(), destination.enabled_at].toSorted()[1] ?? "";
  for (let id = firstIdOf(event); ; id++) {
    const delivery: StoredDelivery = {
      id,
      community_id: destination.community_id,
      destination_id: destination.id,
      event_id: event.id,
      event_type: event.type,
      body: body === undefined ? JSON.stringify(event) : "",
      is_last: isLast,
      status: "pending",
      attempts: [],
      attempts_made: 0,
      created_at,
    };
    const expires_at = Math.floor(now.getTime() / 1000) + lifetime;
    try {
      await write(table, [{ put: { ...keyOf(delivery), ...delivery, expires_at }, when: "absent" }]);
      return delivery;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const there = await find(table, destination.id, id);
      if (there?.event_id === event.id) return there;
    }
  }
}

/** The delivery of an event to a destination. Undefined if it was not stored. */
export async function findOfEvent(
  table: Reader,
  destinationId: number,
  event: Deliverable,
): Promise<StoredDelivery | undefined> {
  for (let id = firstIdOf(event); ; id++) {
    const delivery = await find(table, destinationId, id);
    if (!delivery || delivery.event_id === event.id) return delivery;
  }
}

const firstIdOf = ({ id, timestamp }: Deliverable): number => seededId(new Date(timestamp), id);

export async function find(
  table: Reader,
  destinationId: number,
  deliveryId: number,
): Promise<StoredDelivery | undefined> {
  const item = await table.get(keys.delivery(destinationId, deliveryId));
  return item && fromItem(item);
}

/** The deliveries to a destination with the given ids, in no particular order. Missing ones are left out. */
export async function findAll(
  table: Reader,
  destinationId: number,
  deliveryIds: readonly number[],
): Promise<StoredDelivery[]> {
  const items = await table.getAll(deliveryIds.map((id) => keys.delivery(destinationId, id)));
  return items.map(fromItem);
}

/**
 * The next deliveries to a destination, oldest first: those after the id `afterId` whose events are earlier than
 * `until`.
 *
 * @returns at most `limit` deliveries, and whether there may be more
 */
export async function next(
  table: Reader,
  destinationId: number,
  { afterId, until, limit }: { readonly afterId: number; readonly until: Date; readonly limit: number },
): Promise<{ readonly page: StoredDelivery[]; readonly hasMore: boolean }> {
  const { pk, sk: from } = keys.delivery(destinationId, afterId + 1);
  const { sk: to } = keys.delivery(destinationId, firstIdAt(until) - 1);
  const items: Item[] = [];
  let after: Key | undefined;
  if (from > to) return { page: [], hasMore: false };
  do {
    const read = await table.query({ pk, from, to, after, limit: limit - items.length });
    items.push(...read.items);
    after = read.last;
  } while (after && items.length < limit);
  return { page: items.map(fromItem), hasMore: after !== undefined };
}

/**
 * Adds an attempt to a delivery, even if another attempt was added since the delivery was read. Idempotent: if the
 * response to the write is lost and the SDK repeats the write, the attempt is added once.
 */
export async function addAttempt(
  table: Writer,
  delivery: StoredDelivery,
  attempt: Attempt,
  statusAfter: (delivery: StoredDelivery) => StoredDelivery["status"],
): Promise<StoredDelivery> {
  for (let current = delivery; ; ) {
    const changed = {
      attempts: [...current.attempts, attempt].slice(-keptAttempts),
      attempts_made: current.attempts_made + 1,
      status: statusAfter(current),
    };
    if (await alter(table, current, changed)) return { ...current, ...changed };
    const now = await find(table, delivery.destination_id, delivery.id);
    // The delivery has expired since it was read.
    if (!now) return { ...current, ...changed };
    if (now.attempts.some((one) => isDeepStrictEqual(one, attempt))) return now;
    current = now;
  }
}

/**
 * A delivery as it stands. A pending one ends when its destination is disabled, except the last one. Its next attempt, which
 * may be a day away, stores that.
 */
export const standingAt = (
  { status, enabled_at }: Pick<StoredDestination, "status" | "enabled_at">,
  delivery: StoredDelivery,
): StoredDelivery =>
  delivery.status === "pending" && !delivery.is_last && (status !== "enabled" || delivery.created_at < enabled_at)
    ? { ...delivery, status: "failed" }
    : delivery;

/** Ends a pending delivery that will not be attempted again, even if another attempt was added since it was read. */
export async function drop(table: Writer, delivery: StoredDelivery): Promise<void> {
  let current: StoredDelivery | undefined = delivery;
  while (current?.status === "pending" && !(await alter(table, current, { status: "failed" })))
    current = await find(table, current.destination_id, current.id);
}

/** Changes a delivery. Returns false if the stored delivery differs from the one that was read. */
async function alter(
  table: Writer,
  delivery: StoredDelivery,
  set: Partial<Pick<StoredDelivery, SetBy<typeof deliveryFields, "attempt">>>,
): Promise<boolean> {
  const { attempts, status } = delivery;
  try {
    await write(table, [{ update: keyOf(delivery), set, when: { is: { attempts, status } } }]);
    return true;
  } catch (error) {
    if (error instanceof Conflict) return false;
    throw error;
  }
}

/**
 * One page of the deliveries to a destination, newest first.
 *
 * @throws Problem `invalid_cursor`
 */
export const list = (table: Reader, destinationId: number, page: Page) =>
  pageByCursor(table, { pk: keys.delivery(destinationId, 0).pk, kind: "delivery" }, page, fromItem);

const keyOf = ({ destination_id, id }: StoredDelivery): Key => keys.delivery(destination_id, id);
