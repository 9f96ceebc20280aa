import { handler as list } from "../../../functions/members/list.ts";
import { membersOf } from "../world/records.ts";
import { type As, isOk } from "../world/requests.ts";
import type { Act } from "./act.ts";
import type { Scene } from "./scene.ts";

type Page = { readonly data: readonly { readonly id: number }[]; readonly next_cursor: string | null };

/** Reads the members on all pages of a list. Undefined if a page could not be read. */
export async function walk(scene: Scene, as: As, communityId: number, query: string): Promise<number[] | undefined> {
  const seen: number[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const outcome = await scene.send(list, { as, params: { community_id: communityId }, query: `${query}${after}` });
    if (!isOk(outcome)) return undefined;
    const page = outcome.body as unknown as Page;
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null && seen.length < 5000);
  return seen;
}

/** Reads all pages of a community's members while others change them. No existing member may be skipped or repeated. */
export const walkMembers: Act = async (scene) => {
  const { chance, world } = scene;
  const community = scene.community();
  const sort = chance.is(0.5) ? "&sort=created_at" : "";
  const present = () => membersOf(world).filter(({ community_id }) => community_id === community.id);
  const before = present();
  const seen = await walk(scene, scene.manager(community), community.id, `per=${chance.integer(1, 4)}${sort}`);
  if (!seen) return;
  const still = new Set(present().map(({ id }) => id));
  const missing = before.filter(({ id }) => still.has(id) && !seen.includes(id));
  if (missing.length > 0) world.violate("lists", `a walk skipped member ${missing[0]?.id}`);
  if (new Set(seen).size < seen.length) world.violate("lists", "a walk repeated a member");
};
