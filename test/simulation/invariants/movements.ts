import { handler as movements } from "../../../functions/communities/movements.ts";
import { handler as series } from "../../../functions/communities/series.ts";
import { admin } from "../actors/scene.ts";
import { communitiesOf } from "../world/records.ts";
import { requestOutside } from "../world/requests.ts";
import type { World } from "../world/world.ts";

const day = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/**
 * The list of movements has on each day exactly as many that let a member in, and as many that shut one out, as the series
 * count, whether the list is read as a whole or for the day alone.
 */
export async function assertMovementsListed(world: World): Promise<void> {
  for (const { id } of communitiesOf(world))
    for (const [metric, access] of [
      ["joined", "begun"],
      ["left", "ended"],
    ] as const) {
      const wrong = (text: string) => world.violate("movements", `community ${id}: ${text}`);
      const from = dayOf(world.timeline.now - 390 * day);
      const query = `metric=${metric}&from=${from}`;
      const { status, body } = await requestOutside(world, series, { as: admin, params: { community_id: id }, query });
      if (status !== 200) {
        wrong(`${metric} is answered ${status}`);
        continue;
      }
      const points = body.points as readonly { readonly at: string; readonly value: number }[];
      const listed = await daysListed(world, id, `access=${access}&from=${from}`);
      for (const { at, value } of points) {
        const count = listed.filter((on) => on === at).length;
        if (count !== value) wrong(`${count} movements with access ${access} on ${at}, and ${metric} is ${value}`);
      }
      const [last] = listed;
      if (last === undefined) continue;
      const alone = await daysListed(world, id, `access=${access}&from=${last}&to=${last}`);
      const count = points.find(({ at }) => at === last)?.value;
      if (alone.length !== count) wrong(`${alone.length} movements of ${last} alone, and ${metric} is ${count}`);
    }
}

type Page = { readonly data: readonly { readonly at: string }[]; readonly next_cursor: string | null };

/** The days of all listed movements, newest first. */
async function daysListed(world: World, communityId: number, query: string): Promise<string[]> {
  const days: string[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const call = { as: admin, params: { community_id: communityId }, query: `${query}&per=7${after}` };
    const { status, body } = await requestOutside(world, movements, call);
    if (status !== 200) {
      world.violate("movements", `the movements of community ${communityId} are answered ${status}`);
      break;
    }
    const page = body as unknown as Page;
    days.push(...page.data.map(({ at }) => at.slice(0, 10)));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return days;
}
