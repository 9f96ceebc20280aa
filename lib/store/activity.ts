import * as v from "valibot";
import {
  Activity,
  BrandActivity,
  type StoredActivity,
  type StoredBrandActivity,
  type StoredCommunityActivity,
} from "../domain/activity.ts";
import { activityFields } from "../fields/activity.ts";
import { storedEntries } from "../fields/field.ts";
import { newId, seededId } from "../ids.ts";
import type { Item } from "./expression.ts";
import { Conflict } from "./failure.ts";
import { type Key, keys } from "./keys.ts";
import { type Page, pageByCursor, readPage } from "./newest-first.ts";
import { keyOfActor, namesOf } from "./record-names.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { write } from "./write.ts";

/** An audit entry of a member, to be written in the same transaction as its change. */
export type AuditEntry = Pick<StoredActivity, "action" | "actor"> &
  Partial<Pick<StoredActivity, "request_id" | "before" | "after">>;

type RequestOfActor = { readonly requestId: string; readonly now: Date };

/** The user who makes a change, the id of the request, and the time. */
export type UserActor = RequestOfActor & { readonly id: number; readonly apiKeyId?: undefined };

/** The user or API key that makes a change. The `id` is that of the user: `null` for a key. */
export type Actor = UserActor | (RequestOfActor & { readonly id: null; readonly apiKeyId: number });

/** The actor of an entry: an API key, a user, or the system if neither made the change. */
export function byActor({ id, apiKeyId }: ActorIds): StoredActivity["actor"] {
  if (apiKeyId !== undefined) return { type: "api_key", id: apiKeyId };
  return id === null ? bySystem : byUser(id);
}

type ActorIds = { readonly id: number | null; readonly apiKeyId?: number | undefined };

export const byUser = (id: number): StoredActivity["actor"] => ({ type: "user", id });
export const bySystem: StoredActivity["actor"] = { type: "system", id: null };
export const byStripe: StoredActivity["actor"] = { type: "stripe", id: null };

/** Returns the key of an audit entry with an id, in the activity of one record. */
type KeyOf = (entryId: number) => Key;

const ofMember =
  (memberId: number): KeyOf =>
  (entryId) =>
    keys.activity(memberId, entryId);

const ofCommunity =
  (communityId: number): KeyOf =>
  (entryId) =>
    keys.communityActivity(communityId, entryId);

const ofBrand =
  (brandId: string): KeyOf =>
  (entryId) =>
    keys.brandActivity(brandId, entryId);

type MemberIds = { readonly id: number; readonly community_id: number };

/** Appends an entry to a member's activity. Throws a `Conflict` if another entry of the same millisecond has the id. */
export const appendAuditEntry = (table: Reader, member: MemberIds, entry: AuditEntry, now: Date): Write =>
  putMemberEntry(member, entry, now, newId(now, table.runtime.random));

/** Appends entries in order, with consecutive ids. Throws a `Conflict` if one of the ids is taken. */
export function appendAuditEntries(table: Reader, member: MemberIds, entries: readonly AuditEntry[], now: Date) {
  const first = newId(now, table.runtime.random);
  return entries.map((entry, n) => putMemberEntry(member, entry, now, first + n));
}

const putMemberEntry = ({ id, community_id }: MemberIds, entry: AuditEntry, now: Date, entryId: number): Write =>
  putEntry(ofMember(id), { ...entry, ...listedIn(community_id, entry) }, now, entryId);

/**
 * The attribute that lists an entry of a member in the activity of the community, through the index `by_status`. Only for
 * entries about what people and API keys did. Imports have one entry per request instead.
 */
export const listedIn = (communityId: number, { actor, action }: Pick<AuditEntry, "actor" | "action">) =>
  (actor.type === "user" || actor.type === "api_key") && action !== "imported"
    ? { status_pk: ofCommunity(communityId)(0).pk }
    : undefined;

/** An entry about an action of a user, without the fields that are taken from the `Actor`. */
type UserEntry<Entry> = Omit<Entry, "id" | "at" | "actor" | "request_id">;

/**
 * Appends a user's change of a community, tier or benefit to the community's activity. Throws a `Conflict` if the id of
 * the entry is taken.
 */
export const appendCommunityEntry = (
  table: Reader,
  communityId: number,
  entry: UserEntry<StoredCommunityActivity>,
  by: Actor,
): Write => appendUserEntry(table, ofCommunity(communityId), entry, by);

/**
 * Appends a change that the system makes by itself to a community's activity. Throws a `Conflict` if the id of the
 * entry is taken.
 */
export const appendSystemEntry = (
  table: Reader,
  communityId: number,
  entry: UserEntry<StoredCommunityActivity>,
  now: Date,
): Write => putEntry(ofCommunity(communityId), { ...entry, actor: bySystem }, now, newId(now, table.runtime.random));

/** Appends a user's change of a brand to the brand's activity. Throws a `Conflict` if the id of the entry is taken. */
export const appendBrandEntry = (
  table: Reader,
  brandId: string,
  entry: UserEntry<StoredBrandActivity>,
  by: Actor,
): Write => appendUserEntry(table, ofBrand(brandId), entry, by);

const appendUserEntry = <Entry>({ runtime }: Reader, to: KeyOf, entry: UserEntry<Entry>, by: Actor): Write =>
  putEntry(to, { ...entry, actor: byActor(by), request_id: by.requestId }, by.now, newId(by.now, runtime.random));

/** A request to import members. */
export type ImportRequest = {
  readonly actor: Actor;
  /** The operation id of the request, which all retries with the same `Idempotency-Key` share. */
  readonly operationId: string;
  readonly begunAt: Date;
  /** Number of records in the request. */
  readonly size: number;
};

/**
 * Appends an import of members to a community's activity, before the first member is written, because an import takes
 * several transactions. Idempotent: the entry contains the operation id.
 *
 * @param marks writes of the same transaction
 */
export async function recordImport(
  table: Writer,
  communityId: number,
  { actor, operationId, begunAt, size }: ImportRequest,
  marks: readonly Write[],
): Promise<void> {
  const entry: UserEntry<StoredCommunityActivity> = {
    record: { type: "community", id: communityId },
    action: "members_imported",
    before: null,
    after: { records: size },
    operation_id: operationId,
  };
  const to = ofCommunity(communityId);
  for (let id = seededId(begunAt, operationId); ; id++) {
    const put = putEntry(to, { ...entry, actor: byActor(actor), request_id: actor.requestId }, begunAt, id);
    try {
      return await write(table, [put, ...marks]);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const taken = await table.get(to(id));
      if (!taken) throw error;
      if (taken.operation_id === operationId) return marks.length > 0 ? write(table, marks) : undefined;
    }
  }
}

function putEntry(keyOf: KeyOf, entry: object, now: Date, id: number): Write {
  const activity = { request_id: null, before: null, after: null, ...entry, id, at: now.toISOString() };
  return { put: { ...keyOf(id), ...activity }, when: "absent" };
}

/**
 * One page of a member's activity, newest first.
 *
 * @throws Problem `invalid_cursor`
 */
export const listOfMember = (table: Reader, memberId: number, page: Page) =>
  list(table, ofMember(memberId), Activity, page);

/**
 * One page of a brand's activity, newest first.
 *
 * @throws Problem `invalid_cursor`
 */
export const listOfBrand = (table: Reader, brandId: string, page: Page) =>
  list(table, ofBrand(brandId), BrandActivity, page);

/** The newest entries of a member, and whether older ones exist. Without a cursor. */
export async function newestOfMember(table: Reader, memberId: number, per: number) {
  const { page, hasMore } = await readPage(table, { pk: ofMember(memberId)(0).pk, kind: "activity" }, { per });
  return { entries: page.map((item) => v.parse(v.object(storedEntries(activityFields)), item)), hasMore };
}

async function list<Entry>(table: Reader, keyOf: KeyOf, schema: v.GenericSchema<unknown, Entry>, page: Page) {
  const { data, ...rest } = await pageByCursor(table, { pk: keyOf(0).pk, kind: "activity" }, page, withActor);
  const nameOf = await namesOf(
    table,
    data.map(({ actor }) => keyOfActor(actor)),
  );
  return {
    ...rest,
    data: data.map(({ item, actor }) =>
      v.parse(schema, { ...item, actor: { ...actor, name: nameOf(keyOfActor(actor)) } }),
    ),
  };
}

const withActor = (item: Item) => ({ item, ...v.parse(v.object({ actor: activityFields.actor.stored }), item) });
