import * as v from "valibot";
import { assertRoom, type DestinationUpdate } from "../domain/destination.ts";
import { destinationFields } from "../fields/destination.ts";
import { type SetBy, shownIn, storedEntries } from "../fields/field.ts";
import { newId } from "../ids.ts";
import { pick } from "../pick.ts";
import type { Runtime } from "../runtime.ts";
import { endOf, type Grantor, rightIn } from "../values/lasting-right.ts";
import { Id } from "../values/scalars.ts";
import { type Actor, appendCommunityEntry } from "./activity.ts";
import { type Altered, alteredBy } from "./altered.ts";
import type { Item } from "./expression.ts";
import { type Key, keys, prefixOf } from "./keys.ts";
import type { OpenCommunity } from "./open-community.ts";
import { queryAll } from "./query-all.ts";
import type { Reader, Writer } from "./table.ts";
import { timeOver, write } from "./write.ts";

const StoredDestination = v.object(storedEntries(destinationFields));
export type StoredDestination = v.InferOutput<typeof StoredDestination>;

export const fromItem = (item: Item): StoredDestination => v.parse(StoredDestination, item);

/** The effective state of a destination: disabled if its right has ended, even if it is stored as enabled. */
export function standingIn(
  community: Grantor,
  destination: StoredDestination,
  { epoch }: Pick<Runtime, "epoch">,
): StoredDestination {
  const disabled_reason = destination.status === "enabled" && endOf(destination.right, rightIn(community, epoch));
  return disabled_reason ? { ...destination, status: "disabled", disabled_reason } : destination;
}

/** The destinations of a community as they are stored, oldest first: one strongly consistent Query. */
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

/** A destination as it is stored. */
export async function find(
  table: Reader,
  communityId: number,
  destinationId: number,
): Promise<StoredDestination | undefined> {
  const item = await table.get(keys.destination(communityId, destinationId));
  return item && fromItem(item);
}

/** The id of a new destination. Its secret is encrypted for this id. */
export const newDestinationId = (table: Reader, now: Date): number => newId(now, table.runtime.random);

type NewDestination = Pick<
  StoredDestination,
  "id" | "secret" | "secret_hint" | SetBy<typeof destinationFields, "post">
>;

/**
 * Adds a destination to a community. Of two concurrent additions, the later throws a `Conflict`, so that the limit holds.
 *
 * @throws Problem `limit_reached`
 */
export async function add(
  table: Writer,
  community: OpenCommunity,
  existing: readonly StoredDestination[],
  input: NewDestination,
  by: Actor,
): Promise<StoredDestination> {
  assertRoom(existing);
  const { id: community_id, destinations_added, ownership } = community;
  const at = by.now.toISOString();
  const destination: StoredDestination = {
    ...input,
    community_id,
    status: "enabled",
    disabled_reason: null,
    previous: null,
    last_success_at: null,
    failing_since: null,
    enabled_at: at,
    right: rightIn(community, table.runtime.epoch),
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await write(table, [
    { put: { ...keyOf(destination), ...destination }, when: "absent" },
    { put: { ...keys.destinationParent(input.id), community_id }, when: "absent" },
    {
      update: keys.community(community_id),
      set: { destinations_added: (destinations_added ?? 0) + 1 },
      when: { is: { destinations_added, ownership } },
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

/**
 * Updates a destination if its version is still the one that was read. Writes nothing if nothing differs. Enabling a
 * destination stores the current right and clears the failures.
 */
export async function update(
  table: Writer,
  community: OpenCommunity,
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
    ...(status === "enabled" && {
      enabled_at: at,
      failing_since: null,
      failures: undefined,
      right: rightIn(community, table.runtime.epoch),
    }),
  };
  return edit(table, community, destination, set, altered, by);
}

type Rotation = {
  readonly record: StoredDestination;
  readonly next: Pick<StoredDestination, "secret" | "secret_hint">;
  /** For how many hours the replaced secret also signs. */
  readonly overlapHours: number;
};

/** Replaces the secret of a destination. Earlier secrets than the replaced one are dropped. */
export function rotate(
  table: Writer,
  community: OpenCommunity,
  { record, next, overlapHours }: Rotation,
  by: Actor,
): Promise<StoredDestination> {
  const until = new Date(by.now.getTime() + overlapHours * 60 * 60 * 1000).toISOString();
  const set = { ...next, previous: overlapHours > 0 ? { secret: record.secret, until } : null };
  const altered = { before: pick(record, ["secret_hint"]), after: pick(next, ["secret_hint"]) };
  return edit(table, community, record, set, altered, by);
}

async function edit(
  table: Writer,
  { id, ownership }: OpenCommunity,
  destination: StoredDestination,
  changes: Partial<StoredDestination>,
  altered: Altered<StoredDestination>,
  by: Actor,
): Promise<StoredDestination> {
  const now = timeOver(destination, by.now);
  // Also stores that the right has ended.
  const { status, disabled_reason, version } = destination;
  const set = { status, disabled_reason, ...changes, updated_at: now.toISOString(), version: version + 1 };
  await write(table, [
    { update: keyOf(destination), set, when: { is: { version } } },
    { check: keys.community(id), when: { is: { ownership } } },
    appendCommunityEntry(
      table,
      destination.community_id,
      { record: recordOf(destination), action: "edited", ...altered },
      { ...by, now },
    ),
  ]);
  return { ...destination, ...set };
}

/** Removes a destination. Its pending deliveries end, because the destination is not found. */
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

/** Fields of a new or deleted destination that the activity shows. */
const auditedFields = shownIn(destinationFields, "activity");

export const recordOf = ({ id }: StoredDestination) => ({ type: "event_destination" as const, id });

export const keyOf = ({ community_id, id }: StoredDestination): Key => keys.destination(community_id, id);
