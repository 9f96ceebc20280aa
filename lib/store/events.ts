import * as v from "valibot";
import { ListedEvent } from "../domain/event-list.ts";
import { epochOf } from "../epoch.ts";
import { decideAgain } from "./again.ts";
import { decodeCursor, encodeCursor, invalidCursor } from "./cursor.ts";
import { keys } from "./keys.ts";
import { readPage } from "./newest-first.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { write } from "./write.ts";

/** The fields of an event that its storage depends on. */
export type Storable = { readonly id: string; readonly type: string };

const day = 24 * 60 * 60;
/** Number of seconds for which an event is listed. */
const listedFor = 30 * day;
/**
 * Number of seconds for which an event is kept: longer than a delivery of it, and longer than the bucket keeps a failed
 * record, so that a redrive does not store the event again.
 */
const keptFor = 40 * day;

/** An event, stored once. `number` is its place in the list of its community. */
const StoredEvent = v.object({
  id: v.string(),
  type: v.string(),
  community_id: v.number(),
  number: v.number(),
  stored_at: v.string(),
  /** The event as JSON, exactly as it is sent. */
  body: v.string(),
});

/** The number of the last stored event of a community, and the time at which it was stored. */
const Count = v.object({ number: v.number(), stored_at: v.string() });

/** An entry of the list of a community's events. */
const Listed = v.object({ number: v.number(), event_id: v.string(), event_type: v.string(), stored_at: v.string() });
type Listed = v.InferOutput<typeof Listed>;

/** Number of events in a transaction, which has at most 100 writes: two of each event, and one of the count. */
const atOnce = 49;

/**
 * Stores the events of a community in order. Idempotent: an event that is stored already keeps its place. The events of
 * a call are stored in several transactions if there are more than 49.
 *
 * @throws Conflict if other functions keep storing events of the community
 */
export async function addAll(table: Writer, communityId: number, events: readonly Storable[]): Promise<void> {
  for (let n = 0; n < events.length; n += atOnce) {
    const some = events.slice(n, n + atOnce);
    let isRepeated = false;
    await decideAgain(table, async () => {
      const missing = isRepeated ? await withoutStored(table, some) : some;
      isRepeated = true;
      if (missing.length > 0) await append(table, communityId, missing);
    });
  }
}

async function withoutStored(table: Reader, events: readonly Storable[]): Promise<readonly Storable[]> {
  const stored = new Set((await table.getAll(events.map(({ id }) => keys.event(id)))).map(({ id }) => id));
  return events.filter(({ id }) => !stored.has(id));
}

/**
 * Appends events to the list of their community. The condition on the count makes the list grow only at its end: a write
 * that was decided before another one cannot follow it.
 */
async function append(table: Writer, communityId: number, events: readonly Storable[]): Promise<void> {
  const key = keys.eventCount(communityId);
  const item = await table.get(key);
  const count = item && v.parse(Count, item);
  const now = table.runtime.now().toISOString();
  // Clocks of functions differ. The times have the order of the list.
  const stored_at = count && count.stored_at > now ? count.stored_at : now;
  const seconds = Math.floor(Date.parse(stored_at) / 1000);
  const first = (count?.number ?? 0) + 1;
  const next = { number: first + events.length - 1, stored_at };
  await write(table, [
    count
      ? { update: key, set: next, when: { is: { number: count.number } } }
      : { put: { ...key, ...next }, when: "absent" },
    ...events.flatMap((event, n): Write[] => {
      const { id, type } = event;
      const number = first + n;
      const stored = { id, type, community_id: communityId, number, stored_at, body: JSON.stringify(event) };
      const listed: Listed = { number, event_id: id, event_type: type, stored_at };
      return [
        { put: { ...keys.event(id), ...stored, expires_at: seconds + keptFor }, when: "absent" },
        { put: { ...keys.listedEvent(communityId, number), ...listed, expires_at: seconds + listedFor + day } },
      ];
    }),
  ]);
}

/** The body of a stored event. Undefined if it was not stored, or has expired. */
export async function bodyOf(table: Reader, eventId: string): Promise<string | undefined> {
  return (await find(table, eventId))?.body;
}

async function find(table: Reader, eventId: string) {
  const item = await table.get(keys.event(eventId));
  return item && v.parse(StoredEvent, item);
}

type EventQuery = {
  readonly per: number;
  readonly cursor?: string | undefined;
  /** Only events that were stored after this one, oldest first. */
  readonly after?: string | undefined;
  readonly type?: string | undefined;
};

const parseBody = (body: unknown): ListedEvent => v.parse(v.pipe(v.string(), v.parseJson(), ListedEvent), body);

/**
 * One page of the events of a community in the order in which they were stored: newest first, or oldest first with
 * `after`. A page with `type` has those of `per` events that match, which may be none. Events of earlier epochs are not
 * listed: events that followed them may be lost.
 *
 * @throws Problem `invalid_cursor`, also for an `after` that is unknown, older than 30 days or of an earlier epoch
 */
export async function list(table: Reader, communityId: number, { per, cursor, after, type }: EventQuery) {
  const { pk } = keys.listedEvent(communityId, 0);
  const { epoch } = table.runtime;
  const oldest = new Date(table.runtime.now().getTime() - listedFor * 1000).toISOString();
  // A restored table gives the numbers of its lost events to others.
  const scope = ["listedEvent", pk, epoch, after ?? null, type ?? null];
  const position = placeIn(decodeCursor(scope, cursor)) ?? (after === undefined ? undefined : await placeOf(after));
  if (after !== undefined && position && position.stored_at < oldest) throw unknownAfter();
  const { page, hasMore } = await readPage(
    table,
    { pk, kind: "listedEvent" },
    {
      per,
      before: position && keys.listedEvent(communityId, position.number).sk,
      isOldestFirst: after !== undefined,
    },
  );
  const read = page.map((item) => v.parse(Listed, item));
  const recent = read.filter(({ stored_at }) => stored_at >= oldest);
  const last = recent.at(-1);
  const matching = recent.filter(({ event_type }) => type === undefined || event_type === type);
  // The epoch never decreases in the list: nothing before an event of an earlier epoch is listed.
  const events = await eventsOf(new Set(last && [...matching, last]));
  const hasNext = hasMore && recent.length === read.length && last !== undefined && isInEpoch(events(last));
  return {
    has_more: hasNext,
    next_cursor: hasNext ? encodeCursor(scope, `${last.number} ${last.stored_at}`) : null,
    data: matching.map(events).filter(isInEpoch),
  };

  function isInEpoch({ sequence }: ListedEvent): boolean {
    return epochOf(sequence) >= epoch;
  }

  async function placeOf(eventId: string) {
    const event = await find(table, eventId);
    if (event?.community_id !== communityId || !isInEpoch(parseBody(event.body))) throw unknownAfter();
    return event;
  }

  async function eventsOf(entries: Iterable<Listed>): Promise<(entry: Listed) => ListedEvent> {
    const items = await table.getAll(Array.from(entries, ({ event_id }) => keys.event(event_id)));
    const bodies = new Map(items.map((item) => v.parse(StoredEvent, item)).map(({ id, body }) => [id, body]));
    return ({ event_id }) => parseBody(bodies.get(event_id));
  }
}

/** The place in the list that a cursor names. */
function placeIn(position: string | undefined) {
  const [number, stored_at = ""] = position?.split(" ") ?? [];
  return number === undefined ? undefined : { number: Number(number), stored_at };
}

const unknownAfter = () =>
  invalidCursor(
    {
      parameter: "after",
      code: "unknown_reference",
      message: "must be an event of this community of the last 30 days",
    },
    "The event is unknown, older than 30 days, or from before Odis was restored from a backup. Read all records again, then go on from the newest event",
  );
