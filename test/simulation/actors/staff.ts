import { handler as brandActivity } from "../../../functions/brands/activity.ts";
import { handler as createBrand } from "../../../functions/brands/create.ts";
import { handler as listBrands } from "../../../functions/brands/list.ts";
import { handler as removeBrand } from "../../../functions/brands/remove.ts";
import { handler as showBrand } from "../../../functions/brands/show.ts";
import { handler as updateBrand } from "../../../functions/brands/update.ts";
import { handler as createCommunity } from "../../../functions/communities/create.ts";
import { handler as listCommunities } from "../../../functions/communities/list.ts";
import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as unblock } from "../../../functions/members/unblock.ts";
import { brandsOf } from "../world/records.ts";
import type { Act, Repertoire } from "./act.ts";
import { completeTooLate } from "./late-checkouts.ts";
import { noteWrite } from "./owners-communities.ts";
import { compete } from "./rivals.ts";
import { admin, editor, type Scene } from "./scene.ts";
import { renameSlowly } from "./slow-writers.ts";

const producers = [1, 2, 3, 4].map((n) => `00000000-0000-4000-8000-00000000000${n}`);

const someProducers = ({ chance }: Scene): string[] => producers.filter(() => chance.is(0.5));

const withBrand =
  (
    act: (
      scene: Scene,
      brand: ReturnType<typeof brandsOf>[number],
      params: { producer_id: string; id: string },
    ) => Promise<unknown>,
  ): Act =>
  async (scene) => {
    const brand = scene.pick(brandsOf(scene.world));
    const producer_id = brand && scene.chance.pick(brand.producer_ids);
    if (brand && producer_id) await act(scene, brand, { producer_id, id: brand.id });
  };

export const editors: Repertoire = {
  weight: 8,
  acts: {
    create: [
      5,
      async (scene) => {
        const producer_id = scene.chance.pick(producers) ?? "";
        const producer_ids = [...new Set([producer_id, ...someProducers(scene)])].toSorted();
        const body = { brand: { name: `Brand ${scene.name}`, producer_ids } };
        const outcome = await scene.call(createBrand, { as: editor, params: { producer_id }, body });
        noteWrite(scene, "brand", outcome.body.id, { exists: true, ...body.brand }, outcome);
      },
    ],
    update: [
      5,
      withBrand(async (scene, { id }, params) => {
        const links = someProducers(scene);
        const change = { name: `Brand ${scene.name}`, ...(links.length > 0 && { producer_ids: links }) };
        const outcome = await scene.call(updateBrand, { as: editor, params, body: { brand: change } });
        noteWrite(scene, "brand", id, change, outcome);
      }),
    ],
    remove: [
      2,
      withBrand(async (scene, { id }, params) => {
        const outcome = await scene.call(removeBrand, { as: editor, params });
        noteWrite(scene, "brand", id, { exists: false }, outcome);
      }),
    ],
    read: [
      2,
      withBrand(async (scene, _, params) => {
        await scene.call(showBrand, { as: editor, params });
        await scene.call(brandActivity, { as: editor, params, query: "per=3" });
        await scene.call(listBrands, { as: editor, params: { producer_id: params.producer_id }, query: "per=2" });
      }),
    ],
  },
};

/** Archives a community, and unarchives it at the moment at which its number of members changes. */
const reopen: Act = async (scene) => {
  const { chance, world } = scene;
  const managed = scene.managed();
  if (!managed) return;
  const { member, community, params, as } = managed;
  const change = (status: string, isSluggish: boolean) =>
    scene.send(updateCommunity, {
      as: admin,
      params: { id: community.id },
      body: { community: { status } },
      isSluggish,
    });
  noteWrite(scene, "community", community.id, { status: "archived" }, await change("archived", false));
  await world.timeline.wait(chance.next() * 10_000);
  if (world.faults.isOn) world.faults.note("environment_sluggish");
  const handler = member.is_blocked ? unblock : block;
  const [opened, blocked] = await Promise.all([
    change("active", world.faults.isOn),
    scene.send(handler, { as, params, ...(member.is_blocked ? {} : { body: {} }) }),
  ]);
  noteWrite(scene, "community", community.id, { status: "active" }, opened);
  noteWrite(scene, "member", member.id, { is_blocked: !member.is_blocked }, blocked);
};

export const admins: Repertoire = {
  weight: 8,
  acts: {
    reopen: [3, reopen],
    renameSlowly: [3, renameSlowly],
    compete: [4, compete],
    archiveTier: [2, completeTooLate],
    list: [1, (scene) => scene.call(listCommunities, { as: admin, query: "per=2" })],
    createCommunity: [
      2,
      async (scene) => {
        const own = { name: `Community ${scene.name}`, owner_id: scene.person() };
        const slug = scene.chance.is(0.4) ? { slug: scene.chance.pick(["one", "two"]) } : {};
        const body = { community: { ...own, ...slug } };
        const outcome = await scene.call(createCommunity, { as: admin, body });
        noteWrite(scene, "community", outcome.body.id, { ...own, ...slug }, outcome);
      },
    ],
    update: [
      8,
      async (scene) => {
        const { chance } = scene;
        const community = scene.community();
        const change = chance.pick([
          { status: "archived" },
          { status: "active" },
          { status: "active" },
          { trending_pin: chance.pick(["on", "off", null] as const) ?? null },
          { owner_id: scene.heir(community) },
        ] as const);
        const call = { as: admin, params: { id: community.id } };
        const outcome = await scene.call(updateCommunity, { ...call, body: { community: change } });
        noteWrite(scene, "community", community.id, change ?? {}, outcome);
      },
    ],
  },
};
