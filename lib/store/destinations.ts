import * as v from "valibot";
import { assertRoom, Destination, type DestinationUpdate, type DisabledReason } from "../domain/destination.ts";
import { Id, Timestamp } from "../domain/scalars.ts";
import { newId } from "../ids.ts";
import { pick } from "../pick.ts";
import { type Actor, appendCommunityEntry, appendSystemEntry } from "./activity.ts";
import { type Altered, alteredBy } from "./altered.ts";
import type { OpenCommunity } from "./communities.ts";
import type { Item } from "./expression.ts";
import { Conflict } from "./failure.ts";
import { type Key, keys, prefixOf } from "./keys.ts";
import { queryAll } from "./query-all.ts";
import type { Reader, Writer } from "./table.ts";
import { timeOver, type Write, write } from "./write.ts";

const StoredDestination = v.object({
  ...Destination.entries,
  community_id: Id,
  /** The secret, encrypted (`lib/delivery/sealing.ts`). */
  secret: v.string(),
  /** The secret before this one, which signs too until then. */
  previous: v.nullable(v.object({ secret: v.string(), until: Timestamp })),
  /** What was pending before is dropped: since when events are sent. */
  enabled_at: Timestamp,
  /** Until when it counts as slow to answer. */
  slow_until: v.optional(Timestamp),
  /** Rises with every edit, but not with an attempt. */
  version: v.number(),
});
export type StoredDestination = v.InferOutput<typeof StoredDestination>;

export const fromItem = (item: Item): StoredDestination => v.parse(StoredDestination, item);

/** The destinations of a community, oldest first: one strongly consistent Query. */
export async function listOf(table: Reader, communityId: number): Promise<StoredDestination[]> {
  const { sk: prefix } = prefixOf("destination");
  const items = await queryAll(table, { pk: keys.destination(communityId, 0).pk, prefix });
  return items.map(fromItem);
}

/** The id of the community that a destination belongs to. */
export async function communityOf(table: Reader, destinationId: number): Promise<number | undefined> {
  const item = await table.get(keys.destinationParent(destinationId));
  return item && v.parse(v.object({ community_id: Id }), item).community_id;
}

export async function find(
  table: Reader,
  communityId: number,
  destinationId: number,
): Promise<StoredDestination | undefined> {
  const item = await table.get(keys.destination(communityId, destinationId));
  return item && fromItem(item);
}

/** The id of a new destination, which its secret is encrypted for. */
export const newDestinationId = (table: Reader, now: Date): number => newId(now, table.runtime.random);

type NewDestination = Pick<StoredDestination, "id" | "url" | "events" | "description" | "secret" | "secret_hint">;

/**
 * Adds a destination to a community as it was read, and the others after it. Additions follow each other, so that the
 * limit holds: the later of two at the same moment throws a `Conflict`.
 *
 * @throws Problem `limit_reached`
 */
export async function add(
  table: Writer,
  { id: community_id, destinations_added }: OpenCommunity,
  others: readonly StoredDestination[],
  given: NewDestination,
  by: Actor,
): Promise<StoredDestination> {
  assertRoom(others);
  const at = by.now.toISOString();
  const destination: StoredDestination = {
    ...given,
    community_id,
    status: "enabled",
    disabled_reason: null,
    previous: null,
    last_success_at: null,
    failing_since: null,
    enabled_at: at,
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await write(table, [
    { put: { ...keyOf(destination), ...destination }, when: "absent" },
    { put: { ...keys.destinationParent(given.id), community_id }, when: "absent" },
    {
      update: keys.community(community_id),
      set: { destinations_added: (destinations_added ?? 0) + 1 },
      when: { is: { destinations_added } },
    },
    appendCommunityEntry(
      table,
      community_id,
      { record: recordOf(destination), action: "created", before: null, after: pick(destination, auditedFields) },
      by,
    ),
  ]);
  return destination;
}

/** Writes what changes of a destination, over the version that was read. Where nothing differs, nothing changes. */
export async function update(
  table: Writer,
  destination: StoredDestination,
  changes: DestinationUpdate["event_destination"],
  by: Actor,
): Promise<StoredDestination> {
  const altered = alteredBy<StoredDestination>(destination, changes);
  if (!altered) return destination;
  const status = altered.after.status;
  const at = by.now.toISOString();
  const set = {
    ...changes,
    ...(status && { disabled_reason: null }),
    ...(status === "enabled" && { enabled_at: at, failing_since: null }),
  };
  return edit(table, destination, set, altered, by);
}

/** Gives a destination another secret. The one before signs too until `until`; of those before nothing remains. */
export const rotate = (
  table: Writer,
  destination: StoredDestination,
  { until, ...secret }: Pick<StoredDestination, "secret" | "secret_hint"> & { readonly until: Date },
  by: Actor,
): Promise<StoredDestination> =>
  edit(
    table,
    destination,
    { ...secret, previous: { secret: destination.secret, until: until.toISOString() } },
    { before: pick(destination, ["secret_hint"]), after: pick(secret, ["secret_hint"]) },
    by,
  );

async function edit(
  table: Writer,
  destination: StoredDestination,
  changes: Partial<StoredDestination>,
  altered: Altered<StoredDestination>,
  by: Actor,
): Promise<StoredDestination> {
  const now = timeOver(destination, by.now);
  const set = { ...changes, updated_at: now.toISOString(), version: destination.version + 1 };
  await write(table, [
    { update: keyOf(destination), set, when: { is: { version: destination.version } } },
    appendCommunityEntry(
      table,
      destination.community_id,
      { record: recordOf(destination), action: "edited", ...altered },
      { ...by, now },
    ),
  ]);
  return { ...destination, ...set };
}

/** Removes a destination and what leads to it. What is pending is not delivered, as it finds no destination. */
export async function remove(table: Writer, destination: StoredDestination, by: Actor): Promise<void> {
  await write(table, [
    { delete: keyOf(destination), when: { is: { version: destination.version } } },
    { delete: keys.destinationParent(destination.id) },
    appendCommunityEntry(
      table,
      destination.community_id,
      { record: recordOf(destination), action: "deleted", before: pick(destination, auditedFields), after: null },
      { ...by, now: timeOver(destination, by.now) },
    ),
  ]);
}

/** The writes that disable all destinations of a community that gets another owner, as they were read. */
export const changeOwner = (destinations: readonly StoredDestination[], now: Date): Write[] =>
  destinations
    .filter(({ status }) => status === "enabled")
    .map((destination) => ({
      update: keyOf(destination),
      set: disabled(destination, "owner_changed", timeOver(destination, now)),
      when: { is: { version: destination.version } },
    }));

/** Notes that an attempt succeeded. */
export const noteSuccess = (table: Writer, destination: StoredDestination, at: Date): Promise<void> =>
  note(table, destination, { last_success_at: at.toISOString(), failing_since: null });

/** Notes that answers are slow. */
export const noteSlow = (table: Writer, destination: StoredDestination, until: Date): Promise<void> =>
  note(table, destination, { slow_until: until.toISOString() });

/**
 * Notes that an attempt failed, and disables the destination where there is a reason. Nothing is disabled that has been
 * edited since it was read: the next attempt decides again.
 */
export async function noteFailure(
  table: Writer,
  destination: StoredDestination,
  { failingSince, reason, now }: { failingSince: string; reason: DisabledReason | undefined; now: Date },
): Promise<void> {
  if (!reason) {
    if (destination.failing_since === null) await note(table, destination, { failing_since: failingSince });
    return;
  }
  const at = timeOver(destination, now);
  await write(table, [
    {
      update: keyOf(destination),
      set: { ...disabled(destination, reason, at), failing_since: failingSince },
      when: { is: { version: destination.version } },
    },
    appendSystemEntry(
      table,
      destination.community_id,
      {
        record: recordOf(destination),
        action: "edited",
        before: pick(destination, ["status", "disabled_reason"]),
        after: { status: "disabled", disabled_reason: reason },
      },
      at,
    ),
  ]).catch(ignoreConflict);
}

/** Not over one that was deleted or enabled anew since. */
const note = (table: Writer, destination: StoredDestination, set: Partial<StoredDestination>): Promise<void> =>
  write(table, [{ update: keyOf(destination), set, when: { is: { enabled_at: destination.enabled_at } } }]).catch(
    ignoreConflict,
  );

function ignoreConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}

const disabled = ({ version }: StoredDestination, disabled_reason: DisabledReason, at: Date) => ({
  status: "disabled",
  disabled_reason,
  updated_at: at.toISOString(),
  version: version + 1,
});

/** What the activity shows of a destination that is new or deleted. */
const auditedFields = ["url", "events", "description", "status"] as const;

const recordOf = ({ id }: StoredDestination) => ({ type: "event_destination" as const, id });

const keyOf = ({ community_id, id }: StoredDestination): Key => keys.destination(community_id, id);
