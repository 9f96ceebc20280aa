import { isDeepStrictEqual } from "node:util";
import { membersOf, ofKind } from "../world/records.ts";
import type { World } from "../world/world.ts";

/** Members show the current names and email address of the person's profile. */
export function assertProfiles(world: World): void {
  const profiles = new Map(ofKind(world, "user").map((user) => [user.id, user]));
  for (const { id, user, erased_at } of membersOf(world)) {
    if (erased_at !== undefined) continue;
    const { username, email, first_name, last_name } = (profiles.get(user.id) ?? {}) as Partial<typeof user>;
    const expected = { id: user.id, username, email, first_name, last_name };
    if (isDeepStrictEqual({ ...user }, expected)) continue;
    world.violate("profiles", `member ${id} shows ${JSON.stringify(user)}, not ${JSON.stringify(expected)}`);
  }
}
