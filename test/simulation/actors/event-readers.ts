import { handler as listEvents } from "../../../functions/communities/events.ts";
import type { ShownCommunity } from "../world/records.ts";
import type { As } from "../world/requests.ts";
import type { Act, Repertoire } from "./act.ts";
import type { Scene } from "./scene.ts";

type Page = { readonly data: readonly { readonly id: string }[]; readonly next_cursor: string | null };

const pageOf = async (scene: Scene, as: As, { id }: ShownCommunity, query: string) => {
  const { status, body } = await scene.call(listEvents, { as, params: { community_id: id }, query });
  return { status, page: body as unknown as Page };
};

/** Reads on from the last event. A reader that was away for too long begins again at the newest one. */
const readOn: Act = async (scene) => {
  const community = scene.community();
  const reader = scene.world.eventReaders.of(community.id);
  if (reader.isReading) return;
  reader.isReading = true;
  const as = scene.manager(community);
  const after = reader.last;
  for (let cursor = ""; ; ) {
    const query = after === undefined ? "per=1" : `per=7&after=${after}${cursor && `&cursor=${cursor}`}`;
    const { status, page } = await pageOf(scene, as, community, query);
    if (status === 422) reader.ids.splice(0);
    if (status === 422) reader.last = undefined;
    if (status !== 200) break;
    const ids = page.data.map(({ id }) => id);
    reader.ids.push(...ids);
    reader.last = ids.at(-1) ?? reader.last;
    if (after === undefined || page.next_cursor === null) break;
    cursor = encodeURIComponent(page.next_cursor);
  }
  reader.isReading = false;
};

const look: Act = async (scene) => {
  const community = scene.community();
  const type = scene.chance.pick(["member.joined", "payment.succeeded"]) ?? "";
  await pageOf(scene, scene.manager(community), community, `per=5&type=${type}`);
};

/** Programs that keep up with a community by its list of events. */
export const readersOfEvents: Repertoire = { weight: 6, acts: { readOn: [8, readOn], look: [1, look] } };
