import * as v from "valibot";
import { Activity } from "../domain/activity.ts";
import { newId } from "../ids.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { keys } from "./keys.ts";
import type { Reader } from "./table.ts";
import type { Write } from "./write.ts";

/** What happened, to be written in the same transaction as what it tells. */
export type Happening = Pick<Activity, "action" | "actor"> & Partial<Pick<Activity, "request_id" | "before" | "after">>;

export const byUser = (id: number): Activity["actor"] => ({ type: "user", id });
export const byStripe: Activity["actor"] = { type: "stripe", id: null };

export function record(memberId: number, happening: Happening, now: Date): Write {
  const activity: Activity = {
    request_id: null,
    before: null,
    after: null,
    ...happening,
    id: newId(now),
    at: now.toISOString(),
  };
  return { put: { ...keys.activity(memberId, activity.id), ...activity } };
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
  const { pk, sk } = keys.activity(memberId, 0);
  const prefix = sk.slice(0, sk.indexOf("#") + 1);
  const after = position === undefined ? undefined : { pk, sk: position };
  const { items } = await table.query({ pk, prefix, after, descending: true, limit: per + 1 });
  const page = items.slice(0, per);
  const last = page.at(-1);
  const hasMore = items.length > per && last !== undefined;
  return {
    has_more: hasMore,
    next_cursor: hasMore ? encodeCursor(scope, String(last.sk)) : null,
    data: page.map((item) => v.parse(Activity, item)),
  };
}
