import { canonicalJson } from "../canonical-json.ts";
import type { StoredCommunityActivity } from "../domain/activity.ts";
import { pick } from "../pick.ts";

/** The changed fields of a record, with their values before and after. */
export type Altered<T> = { readonly before: Partial<T>; readonly after: Partial<T> };

/** Returns the fields whose values the changes alter. Undefined if no value differs, so that nothing is written. */
export function alteredBy<T extends object>(record: T, changes: Partial<T>): Altered<T> | undefined {
  const requested = Object.keys(changes) as (keyof T)[];
  const names = requested.filter(
    (name) => changes[name] !== undefined && canonicalJson(record[name]) !== canonicalJson(changes[name]),
  );
  return names.length === 0
    ? undefined
    : { before: pick(record, names), after: pick<Partial<T>, keyof T>(changes, names) };
}

/** The action that the activity shows for an edit of several fields (`docs/api.md`, section 7, "Activity"). */
export function actionOf(after: {
  readonly owner_id?: unknown;
  readonly status?: unknown;
}): StoredCommunityActivity["action"] {
  if (after.owner_id !== undefined) return "transferred";
  if (after.status !== undefined) return after.status === "archived" ? "archived" : "unarchived";
  return "edited";
}
