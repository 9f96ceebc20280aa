import * as v from "valibot";
import { Activity } from "../domain/activity.ts";
import { newId } from "../ids.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Item } from "./expression.ts";
import { type Key, keys, prefixOf } from "./keys.ts";
import { pageEnd } from "./page-end.ts";
import type { Reader } from "./table.ts";
import type { Write } from "./write.ts";

/** Who did what to a member, to be written in the same transaction as what it tells. */
export type AuditEntry = Pick<Activity, "action" | "actor"> &
  Partial<Pick<Activity, "request_id" | "before" | "after">>;

/** A user who acts, in which request, and when. */
export type Actor = { readonly id: number; readonly requestId: string; readonly now: Date };

export const byUser = (id: number): Activity["actor"] => ({ type: "user", id });
export const byStripe: Activity["actor"] = { type: "stripe", id: null };

/** Appends an entry to a member's activity; a `Conflict` where its id is taken by another of the same millisecond. */
export const appendAuditEntry = (table: Reader, memberId: number, entry: AuditEntry, now: Date): Write =>
  putEntry(memberId, entry, now, newId(now, table.runtime.random));

/** Appends entries in their order, with consecutive ids. A `Conflict` where one of them is taken. */
export function appendAuditEntries(table: Reader, memberId: number, entries: readonly AuditEntry[], now: Date) {
  const first = newId(now, table.runtime.random);
  return entries.map((entry, n) => putEntry(memberId, entry, now, first + n));
}

function putEntry(memberId: number, entry: AuditEntry, now: Date, id: number): Write {
  const activity: Activity = { request_id: null, before: null, after: null, ...entry, id, at: now.toISOString() };
  return { put: { ...keys.activity(memberId, id), ...activity }, when: "absent" };
}

/**
 * One page of a member's activity, newest first.
 *
 * @throws Problem `invalid_cursor`
 */
export async function list(
  table: Reader,
  memberId: number,
  { per, cursor }: { per: number; cursor?: string | undefined },
) {
  const scope = ["activity", memberId];
  const position = decodeCursor(scope, cursor);
  const { pk } = keys.activity(memberId, 0);
  const { sk: prefix } = prefixOf("activity");
  const items: Item[] = [];
  let after: Key | undefined = position === undefined ? undefined : { pk, sk: position };
  do {
    const read = await table.query({ pk, prefix, after, descending: true, limit: per + 1 - items.length });
    items.push(...read.items);
    after = read.last;
  } while (after && pageEnd(items, per) === undefined);
  const page = items.slice(0, pageEnd(items, per));
  const last = page.at(-1);
  const hasMore = page.length < items.length && last !== undefined;
  return {
    has_more: hasMore,
    next_cursor: hasMore ? encodeCursor(scope, String(last.sk)) : null,
    data: page.map((item) => v.parse(Activity, item)),
  };
}
