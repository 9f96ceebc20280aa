import { canonicalJson } from "../canonical-json.ts";
import type { CommunityActivity } from "../domain/activity.ts";
import { pick } from "../pick.ts";

/** The fields of a record that changes alter, as they were and as they are then. */
export type Altered<T> = { readonly before: Partial<T>; readonly after: Partial<T> };

/** What changes alter of a record; undefined where they alter nothing, so that there is nothing to write. */
export function alteredBy<T extends object>(record: T, changes: Partial<T>): Altered<T> | undefined {
  const given = Object.keys(changes) as (keyof T)[];
  const names = given.filter(
    (name) => changes[name] !== undefined && canonicalJson(record[name]) !== canonicalJson(changes[name]),
  );
  return names.length === 0
    ? undefined
    : { before: pick(record, names), after: pick<Partial<T>, keyof T>(changes, names) };
}

/** The one name of an edit that may do several things (`docs/api.md`, section 7, "Activity"). */
export function actionOf(after: {
  readonly owner_id?: unknown;
  readonly status?: unknown;
}): CommunityActivity["action"] {
  if (after.owner_id !== undefined) return "transferred";
  if (after.status !== undefined) return after.status === "archived" ? "archived" : "unarchived";
  return "edited";
}
