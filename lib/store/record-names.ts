import * as v from "valibot";
import type { StoredActivity, StoredCommunityActivity } from "../domain/activity.ts";
import { fullNameOf } from "../values/person.ts";
import { type Key, keys } from "./keys.ts";
import type { Reader } from "./table.ts";
import { User } from "./users.ts";

/** Returns the current names of people and records. Null for erased people, and for records that no longer exist. */
export async function namesOf(
  table: Reader,
  wanted: readonly (Key | undefined)[],
): Promise<(key: Key | undefined) => string | null> {
  const items = await table.getAll(wanted.filter((key) => key !== undefined));
  const named = new Map(items.map((item) => [`${String(item.pk)} ${String(item.sk)}`, item]));
  return (key) => {
    const item = key && named.get(`${key.pk} ${key.sk}`);
    if (!item || item.erased_at !== undefined) return null;
    return "username" in item ? fullNameOf(v.parse(User, item)) : v.parse(v.string(), item.name);
  };
}

/** The key of the record that has the name of an actor. */
export function keyOfActor({ type, id }: StoredActivity["actor"]): Key | undefined {
  if (id === null) return undefined;
  return type === "user" ? keys.user(id) : type === "api_key" ? keys.apiKey(id) : undefined;
}

/** The key of the item that has the name of a record. Event destinations and invitations have none. */
export function keyOfRecord(communityId: number, { type, id }: StoredCommunityActivity["record"]): Key | undefined {
  switch (type) {
    case "community":
      return keys.community(id);
    case "tier":
      return keys.tier(communityId, id);
    case "benefit":
      return keys.benefit(communityId, id);
    case "team_member":
      return keys.user(id);
    case "api_key":
      return keys.apiKey(id);
    case "event_destination":
    case "invitation":
      return undefined;
  }
}
