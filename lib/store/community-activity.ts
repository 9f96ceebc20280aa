import * as v from "valibot";
import { CommunityActivity, type CommunityActivityQuery } from "../domain/activity.ts";
import { activityFields, communityActivityFields } from "../fields/activity.ts";
import { erasedRecord } from "../fields/field.ts";
import { firstIdAt } from "../ids.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Item } from "./expression.ts";
import { type Key, keys, lastIdOf } from "./keys.ts";
import { pageEnd } from "./page-end.ts";
import { keyOfActor, keyOfRecord, namesOf } from "./record-names.ts";
import type { IndexReader, Reader } from "./table.ts";

const Actor = v.object({ actor: activityFields.actor.stored });
const Record = v.object({ record: communityActivityFields.record.stored });

/** Number of entries that a request with a filter by actor or record reads of each list. */
const filteredEntries = 500;

const day = 24 * 60 * 60_000;

const sortKeyOf = (entryId: number): string =>
  keys.communityActivity(0, Math.min(Math.max(0, entryId), Number.MAX_SAFE_INTEGER)).sk;

/** The sort keys of the first and the last entry of a time span. */
const boundsOf = ({ from, to }: Pick<CommunityActivityQuery, "from" | "to">) => ({
  from: sortKeyOf(from === undefined ? 0 : firstIdAt(new Date(from))),
  to: sortKeyOf(to === undefined ? Number.MAX_SAFE_INTEGER : firstIdAt(new Date(Date.parse(to) + day)) - 1),
});

/**
 * One page of a community's activity, newest first, with the current names of the records. Merges the list of the community
 * itself with that of its members, which is read from an index. Ids of entries are unique within a record only: of several
 * entries with the same id, that of the community comes first, and those of members have the order of the index.
 *
 * @throws Problem `invalid_cursor`
 */
export async function listOfCommunity(table: IndexReader, communityId: number, query: CommunityActivityQuery) {
  const { actor_id, type, from = null, to = null, per, cursor } = query;
  const { pk } = keys.communityActivity(communityId, 0);
  const scope = ["activity", pk, actor_id ?? null, type ?? null, from, to];
  const after = keyIn(decodeCursor(scope, cursor));
  const isOwn = (key: Key) => key.pk === pk;
  /** Whether an entry certainly comes after another one. False for two members' entries with one id, which the index orders. */
  const isAfter = (key: Key, other: Key) => key.sk < other.sk || (key.sk === other.sk && !isOwn(key) && isOwn(other));
  const isWanted = (entry: Entry) =>
    (actor_id === undefined || entry.actor.id === actor_id) && (type === undefined || entry.record.type === type);
  const entryOf = (item: Item): Entry => {
    const key = { pk: String(item.pk), sk: String(item.sk) };
    const record = isOwn(key)
      ? v.parse(Record, item).record
      : { type: "member" as const, id: lastIdOf({ sk: key.pk }) };
    return { item, key, record, ...v.parse(Actor, item) };
  };
  const isFiltered = actor_id !== undefined || (type !== undefined && type !== "member");
  const read = async (isOfMembers: boolean) => {
    // Entries of members with the id of the community's entry come after it.
    const followsOwn = isOfMembers && after && isOwn(after);
    const page = await table.query({
      pk,
      index: isOfMembers ? "by_status" : undefined,
      ...boundsOf(query),
      ...(followsOwn && { to: after.sk }),
      after: followsOwn || !after ? undefined : { pk: isOfMembers ? after.pk : pk, sk: after.sk },
      descending: true,
      limit: isFiltered ? filteredEntries : per + 1,
    });
    return { entries: page.items.map(entryOf), last: page.last };
  };
  const pages = await Promise.all([
    ...(type === "member" ? [] : [read(false)]),
    ...(type === undefined || type === "member" ? [read(true)] : []),
  ]);
  // Where a list ends early, the other may continue with entries that come later than its next ones.
  const [first, second] = pages.flatMap(({ last }) => last ?? []);
  const end = first && second && isAfter(first, second) ? second : first;
  const entries = pages
    .flatMap((page) => page.entries)
    .filter((entry) => isWanted(entry) && !(end && isAfter(entry.key, end)))
    .toSorted((a, b) => (a.key.sk === b.key.sk ? 0 : a.key.sk < b.key.sk ? 1 : -1));
  const shown = entries.slice(
    0,
    pageEnd(
      entries.map(({ item }) => item),
      per,
    ),
  );
  const next = shown.length < entries.length ? shown.at(-1)?.key : end;
  return {
    has_more: next !== undefined,
    next_cursor: next === undefined ? null : encodeCursor(scope, `${next.sk} ${next.pk}`),
    data: await withNames(table, communityId, shown),
  };
}

type Entry = {
  readonly item: Item;
  readonly key: Key;
  readonly actor: v.InferOutput<typeof Actor>["actor"];
  readonly record: Omit<CommunityActivity["record"], "name">;
};

/** The key of the entry that a cursor names. */
function keyIn(position: string | undefined): Key | undefined {
  const [sk, pk] = position?.split(" ") ?? [];
  return sk === undefined || pk === undefined ? undefined : { pk, sk };
}

async function withNames(table: Reader, communityId: number, entries: readonly Entry[]): Promise<CommunityActivity[]> {
  const keyOf = ({ record }: Entry) => keyOfRecord(communityId, record);
  const nameOf = await namesOf(
    table,
    entries.flatMap((entry) => [keyOfActor(entry.actor), keyOf(entry)]),
  );
  return entries.map((entry) => {
    const name = nameOf(keyOf(entry));
    // A member without a name is erased, and shown as after the sweep, which can come weeks after the mark.
    const isErased = entry.record.type === "member" && name === null;
    return v.parse(CommunityActivity, {
      ...(isErased ? erasedRecord(activityFields, entry.item) : entry.item),
      actor: { ...entry.actor, name: nameOf(keyOfActor(entry.actor)) },
      record: { ...entry.record, name },
    });
  });
}
