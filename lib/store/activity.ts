import * as v from "valibot";
import { Activity, BrandActivity, CommunityActivity } from "../domain/activity.ts";
import type { communityActivityFields } from "../fields/activity.ts";
import type { Stored } from "../fields/field.ts";
import { newId, seededId } from "../ids.ts";
import { Conflict } from "./failure.ts";
import { type Key, keys } from "./keys.ts";
import { type Page, pageByCursor, readPage } from "./newest-first.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { write } from "./write.ts";

/** An audit entry of a member, to be written in the same transaction as its change. */
export type AuditEntry = Pick<Activity, "action" | "actor"> &
  Partial<Pick<Activity, "request_id" | "before" | "after">>;

/** A user who acts, in which request, and when. */
export type Actor = { readonly id: number; readonly requestId: string; readonly now: Date };

export const byUser = (id: number): Activity["actor"] => ({ type: "user", id });
export const bySystem: Activity["actor"] = { type: "system", id: null };
export const byStripe: Activity["actor"] = { type: "stripe", id: null };

/** From the id of an audit entry to its key, in the activity of one record. */
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

/** Appends an entry to a member's activity; a `Conflict` where its id is taken by another of the same millisecond. */
export const appendAuditEntry = (table: Reader, memberId: number, entry: AuditEntry, now: Date): Write =>
  putEntry(ofMember(memberId), entry, now, newId(now, table.runtime.random));

/** Appends entries in their order, with consecutive ids. A `Conflict` where one of them is taken. */
export function appendAuditEntries(table: Reader, memberId: number, entries: readonly AuditEntry[], now: Date) {
  const first = newId(now, table.runtime.random);
  return entries.map((entry, n) => putEntry(ofMember(memberId), entry, now, first + n));
}

/** What a user did, besides who they are, when it was, and in which request. */
type UserEntry<Entry> = Omit<Entry, "id" | "at" | "actor" | "request_id">;

/** Appends to a community's activity what a user did to it, to a tier or to a benefit; a `Conflict` as above. */
export const appendCommunityEntry = (
  table: Reader,
  communityId: number,
  entry: UserEntry<CommunityActivity>,
  by: Actor,
): Write => appendUserEntry(table, ofCommunity(communityId), entry, by);

/** Appends to a community's activity what nobody asked for; a `Conflict` as above. */
export const appendSystemEntry = (
  table: Reader,
  communityId: number,
  entry: UserEntry<CommunityActivity>,
  now: Date,
): Write => putEntry(ofCommunity(communityId), { ...entry, actor: bySystem }, now, newId(now, table.runtime.random));

/** Appends to a brand's activity what a user did to it; a `Conflict` as above. */
export const appendBrandEntry = (table: Reader, brandId: string, entry: UserEntry<BrandActivity>, by: Actor): Write =>
  appendUserEntry(table, ofBrand(brandId), entry, by);

const appendUserEntry = <Entry>(
  { runtime }: Reader,
  to: KeyOf,
  entry: UserEntry<Entry>,
  { id, requestId, now }: Actor,
): Write => putEntry(to, { ...entry, actor: byUser(id), request_id: requestId }, now, newId(now, runtime.random));

/** A request to import members. */
export type ImportRequest = {
  readonly actor: Actor;
  /** The same for every repetition of the request with the same `Idempotency-Key`. */
  readonly operationId: string;
  readonly begunAt: Date;
  /** How many records it has. */
  readonly size: number;
};

/**
 * Appends an import of members to a community's activity. It is written before the first member is, as an import takes
 * several transactions, and once, however often the request is repeated: the entry keeps the operation.
 */
export async function recordImport(
  table: Writer,
  communityId: number,
  { actor, operationId, begunAt, size }: ImportRequest,
): Promise<void> {
  const entry: UserEntry<Stored<typeof communityActivityFields>> = {
    record: { type: "community", id: communityId },
    action: "members_imported",
    before: null,
    after: { records: size },
    operation_id: operationId,
  };
  const to = ofCommunity(communityId);
  for (let id = seededId(begunAt, operationId); ; id++) {
    const put = putEntry(to, { ...entry, actor: byUser(actor.id), request_id: actor.requestId }, begunAt, id);
    try {
      return await write(table, [put]);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const taken = await table.get(to(id));
      if (taken?.operation_id === operationId) return;
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

/** The same of a community's. */
export const listOfCommunity = (table: Reader, communityId: number, page: Page) =>
  list(table, ofCommunity(communityId), CommunityActivity, page);

/** The same of a brand's. */
export const listOfBrand = (table: Reader, brandId: string, page: Page) =>
  list(table, ofBrand(brandId), BrandActivity, page);

/** The newest entries of a member, without a cursor to those before them. */
export async function newestOfMember(table: Reader, memberId: number, per: number) {
  const { page, hasMore } = await readPage(table, { pk: ofMember(memberId)(0).pk, kind: "activity" }, { per });
  return { entries: page.map((item) => v.parse(Activity, item)), hasMore };
}

const list = <Entry>(table: Reader, keyOf: KeyOf, schema: v.GenericSchema<unknown, Entry>, page: Page) =>
  pageByCursor(table, { pk: keyOf(0).pk, kind: "activity" }, page, (item) => v.parse(schema, item));
