import { handler as activate } from "../../../functions/benefits/activate.ts";
import { handler as archive } from "../../../functions/benefits/archive.ts";
import { handler as assign } from "../../../functions/benefits/assign-to-tiers.ts";
import { handler as createBenefit } from "../../../functions/benefits/create.ts";
import { handler as listBenefits } from "../../../functions/benefits/list.ts";
import { handler as removeBenefit } from "../../../functions/benefits/remove.ts";
import { handler as showBenefit } from "../../../functions/benefits/show.ts";
import { handler as updateBenefit } from "../../../functions/benefits/update.ts";
import { handler as communityActivity } from "../../../functions/communities/activity.ts";
import { handler as stats } from "../../../functions/communities/stats.ts";
import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { handler as createTier } from "../../../functions/tiers/create.ts";
import { handler as removeTier } from "../../../functions/tiers/remove.ts";
import { handler as showTier } from "../../../functions/tiers/show.ts";
import { handler as updateTier } from "../../../functions/tiers/update.ts";
import { benefitsOf, communitiesOf } from "../world/records.ts";
import { isOk, type Outcome } from "../world/requests.ts";
import type { Act, Repertoire } from "./act.ts";
import { admin, type Scene } from "./scene.ts";

/** Records what was written to the fields of a record. */
export function noteWrite({ world }: Scene, kind: string, id: unknown, fields: object, outcome: Outcome): void {
  if (typeof id !== "number" && typeof id !== "string") return;
  for (const [field, value] of Object.entries(fields)) world.acknowledged.write({ kind, id, field }, value, outcome);
}

/** Picks some tiers of a community, in the form in which a benefit stores them. */
const someTiers = (scene: Scene, communityId: number): number[] =>
  scene
    .tiers(communityId)
    .filter(() => scene.chance.is(0.4))
    .slice(0, 5)
    .toSorted((a, b) => a.position - b.position || a.id - b.id)
    .map(({ id }) => id);

/** Picks a benefit, and a caller who may change it. */
function aBenefit(scene: Scene) {
  const benefit = scene.pick(benefitsOf(scene.world));
  const community = communitiesOf(scene.world).find(({ id }) => id === benefit?.community_id);
  return benefit && community && { benefit, as: scene.manager(community), params: { id: benefit.id } };
}

type ABenefit = NonNullable<ReturnType<typeof aBenefit>>;

const withBenefit =
  (act: (scene: Scene, given: ABenefit) => Promise<unknown>): Act =>
  async (scene) => {
    const given = aBenefit(scene);
    if (given) await act(scene, given);
  };

function aTier(scene: Scene) {
  const tier = scene.tier();
  const community = communitiesOf(scene.world).find(({ id }) => id === tier?.community_id);
  return tier && community && { tier, as: scene.manager(community), params: { id: tier.id } };
}

const newTier: Act = async (scene) => {
  const { chance, name } = scene;
  const community = scene.community();
  const own = {
    name: `Tier ${name}`,
    monthly_price_dollars: chance.integer(1, 60),
    yearly_price_dollars: chance.is(0.5) ? chance.integer(1, 600) : null,
    trial_days: chance.is(0.2) ? 7 : 0,
  };
  const call = { as: scene.manager(community), params: { community_id: community.id } };
  const outcome = await scene.call(createTier, { ...call, body: { tier: own } });
  noteWrite(scene, "tier", outcome.body.id, { exists: true, ...own }, outcome);
};

/** Creates several tiers at once, so that all requests see that the limit is not reached. */
const newTiers: Act = async (scene) => {
  const community = scene.community();
  const call = { as: scene.manager(community), params: { community_id: community.id } };
  const tier = (n: number) => ({ name: `Tier ${scene.name} ${n}`, monthly_price_dollars: 5 });
  await Promise.all(Array.from({ length: 4 }, (_, n) => scene.send(createTier, { ...call, body: { tier: tier(n) } })));
};

const editTier: Act = async (scene) => {
  const given = aTier(scene);
  if (!given) return;
  const { chance, name } = scene;
  const change = chance.pick([
    { name: `Tier ${name}` },
    { monthly_price_dollars: chance.integer(1, 60) },
    { yearly_price_dollars: chance.integer(1, 600) },
    { yearly_price_dollars: null },
    { status: "archived" },
    { status: "active" },
    { badge: chance.pick([null, `Badge ${name}`]) ?? null },
  ] as const);
  const outcome = await scene.call(updateTier, { as: given.as, params: given.params, body: { tier: change } });
  noteWrite(scene, "tier", given.tier.id, change ?? {}, outcome);
};

export const ownersOfCommunities: Repertoire = {
  weight: 22,
  acts: {
    createBenefit: [
      7,
      async (scene) => {
        const community = scene.community();
        const benefit = { name: `Benefit ${scene.name}`, tier_ids: someTiers(scene, community.id) };
        const call = { as: scene.manager(community), params: { community_id: community.id } };
        const outcome = await scene.call(createBenefit, { ...call, body: { benefit } });
        noteWrite(scene, "benefit", outcome.body.id, { exists: true, ...benefit }, outcome);
      },
    ],
    updateBenefit: [
      5,
      withBenefit(async (scene, { benefit, as, params }) => {
        const own = { name: `Benefit ${scene.name}`, position: scene.chance.integer(0, 9) };
        const tiers = scene.chance.is(0.3) && { tier_ids: someTiers(scene, benefit.community_id) };
        const body = { ...own, ...tiers };
        const outcome = await scene.call(updateBenefit, { as, params, body: { benefit: body } });
        noteWrite(scene, "benefit", benefit.id, body, outcome);
      }),
    ],
    assign: [
      4,
      withBenefit(async (scene, { benefit, as, params }) => {
        const body = { tier_ids: someTiers(scene, benefit.community_id) };
        noteWrite(scene, "benefit", benefit.id, body, await scene.call(assign, { as, params, body }));
      }),
    ],
    archive: [
      3,
      withBenefit(async (scene, { benefit, as, params }) => {
        const [handler, status] = scene.chance.is(0.5) ? [archive, "archived"] : [activate, "active"];
        const outcome = await scene.call(handler, { as, params, body: {} });
        noteWrite(scene, "benefit", benefit.id, { status }, outcome);
      }),
    ],
    removeBenefit: [
      2,
      withBenefit(async (scene, { benefit, as, params }) => {
        const outcome = await scene.call(removeBenefit, { as, params });
        noteWrite(scene, "benefit", benefit.id, { exists: false }, outcome);
      }),
    ],
    showBenefit: [1, withBenefit((scene, { as, params }) => scene.call(showBenefit, { as, params }))],
    listBenefits: [
      2,
      async (scene) => {
        const community = scene.community();
        const call = { as: scene.manager(community), params: { community_id: community.id } };
        await scene.call(listBenefits, { ...call, query: "status=all&per=3" });
        await scene.call(stats, call);
        await scene.call(communityActivity, { as: call.as, params: { id: community.id }, query: "per=30" });
      },
    ],
    createTier: [3, newTier],
    createTiers: [1.5, newTiers],
    updateTier: [5, editTier],
    removeTier: [
      3,
      async (scene) => {
        const given = aTier(scene);
        if (!given) return;
        const outcome = await scene.call(removeTier, { as: given.as, params: given.params });
        noteWrite(scene, "tier", given.tier.id, { exists: false }, outcome);
        if (isOk(outcome)) return;
        await scene.call(showTier, { as: given.as, params: given.params });
      },
    ],
    updateCommunity: [
      4,
      async (scene) => {
        const { chance, name } = scene;
        const community = scene.community();
        const change = chance.is(0.6)
          ? { name: `Community ${name}` }
          : { slug: chance.pick(["one", "two", `slug-${name}`]) ?? "one" };
        const as = chance.is(0.5) ? admin : { id: community.owner_id };
        const outcome = await scene.call(updateCommunity, {
          as,
          params: { id: community.id },
          body: { community: change },
        });
        noteWrite(scene, "community", community.id, change, outcome);
      },
    ],
  },
};
