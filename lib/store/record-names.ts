import * as v from "valibot";
import type { CommunityActivity, StoredActivity } from "../domain/activity.ts";
import { fullNameOf, Person } from "../values/person.ts";
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
    if ("username" in item) return fullNameOf(v.parse(User, item));
    return "user" in item ? fullNameOf(v.parse(Person, item.user)) : v.parse(v.string(), item.name);
  };
}

/** The key of the record that has the name of an actor. */
export function keyOfActor({ type, id }: StoredActivity["actor"]): Key | undefined {
  if (id === null) return undefined;
  return type === "user" ? keys.user(id) : type === "api_key" ? keys.apiKey(id) : undefined;
}

type RecordIds = Pick<CommunityActivity["record"], "type" | "id">;

/** The key of the item that has the name of a record. Event destinations and invitations have none. */
export function keyOfRecord(communityId: number, { type, id }: RecordIds): Key | undefined {
  switch (type) {
    case "community":
      return keys.community(id);
    case "tier":
      return keys.tier(communityId, id);
    case "benefit":
      return keys.benefit(communityId, id);
    case "member":
      return keys.member(communityId, id);
    case "team_member":
      return keys.user(id);
    case "api_key":
      return keys.apiKey(id);
    case "event_destination":
    case "invitation":
      return undefined;
  }
}
