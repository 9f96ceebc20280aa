import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { communitiesOf } from "../world/records.ts";
import { isOk } from "../world/requests.ts";
import type { Act } from "./act.ts";
import { noteWrite } from "./owners-communities.ts";
import { admin, type Scene } from "./scene.ts";

/** Longer than the overlap with which the tail of the directory is read, in milliseconds. */
const halfMinute = 30_000;

/**
 * Renames a community in an environment with slow calls and a clock that is behind, while all environments search. Once
 * the community has been unchanged for half a minute, all environments must find it by its name.
 */
export const renameSlowly: Act = async (scene) => {
  const { chance, world, name } = scene;
  const [{ id }, another] = [scene.community(), scene.community()];
  const rename = async (place: number, communityId: number, change: { readonly name: string }, isSluggish: boolean) => {
    const call = { as: admin, params: { id: communityId }, body: { community: change }, isSluggish };
    noteWrite(scene, "community", communityId, change, await scene.sendTo(place, updateCommunity, call));
  };
  const renaming = rename(furthestBehind(scene), id, { name: `Community ${name}` }, true);
  for (let look = 0; look < 6; look++) {
    await world.timeline.wait(chance.integer(2000, 5000));
    // Another rename advances the end of the directory, so that the slow rename is ordered before it.
    if (look === 1 && another.id !== id) await rename(0, another.id, { name: `Community ${name} too` }, false);
    await Promise.all(places(scene).map((place) => scene.sendTo(place, "explore", { query: "per=1" })));
  }
  await renaming;

  const found = () => communitiesOf(world).find((community) => community.id === id);
  const before = found();
  await world.timeline.wait(halfMinute);
  for (const place of places(scene)) {
    const query = `query=${encodeURIComponent(before?.name ?? "")}`;
    const outcome = await scene.sendTo(place, "explore", { query });
    const isStill = found()?.updated_at === before?.updated_at && before?.status === "active";
    const listed = outcome.body.data as readonly { readonly id: string }[];
    if (isStill && isOk(outcome) && !listed.some((one) => one.id === before.uuid))
      world.violate("directory", `environment ${place} does not find community ${id} by its name`);
  }
};

const places = ({ world }: Scene): number[] => [...world.environments.keys()];

const furthestBehind = ({ world: { environments } }: Scene): number =>
  environments.reduce((best, { skew }, place) => (skew < (environments[best]?.skew ?? 0) ? place : best), 0);
