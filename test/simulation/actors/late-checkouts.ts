import { handler as updateTier } from "../../../functions/tiers/update.ts";
import { openSessions } from "../world/dashboard.ts";
import { communitiesOf } from "../world/records.ts";
import type { Act } from "./act.ts";
import { complete, openCheckout } from "./members.ts";
import { noteWrite } from "./owners-communities.ts";

const minute = 60_000;

/** Completes a checkout minutes after its tier was archived, if Odis has not expired the checkout by then. */
export const completeTooLate: Act = async (scene) => {
  const { world, chance } = scene;
  await openCheckout(scene);
  const session = scene.pick(openSessions(world));
  const community = communitiesOf(world).find(({ id }) => String(id) === session?.metadata?.community_id);
  const id = Number(session?.metadata?.tier_id);
  if (!session || !community) return;
  const body = { tier: { status: "archived" } };
  const outcome = await scene.call(updateTier, { as: scene.manager(community), params: { id }, body });
  noteWrite(scene, "tier", id, body.tier, outcome);
  await world.timeline.wait((3 + chance.next() * 10) * minute);
  await complete(scene, session.id);
};
