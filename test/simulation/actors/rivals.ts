import { handler as showBenefit } from "../../../functions/benefits/show.ts";
import { handler as updateBenefit } from "../../../functions/benefits/update.ts";
import { handler as showBrand } from "../../../functions/brands/show.ts";
import { handler as updateBrand } from "../../../functions/brands/update.ts";
import { handler as showCommunity } from "../../../functions/communities/show.ts";
import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { handler as showDestination } from "../../../functions/destinations/show.ts";
import { handler as updateDestination } from "../../../functions/destinations/update.ts";
import { handler as showMember } from "../../../functions/members/show.ts";
import { handler as updateMember } from "../../../functions/members/update.ts";
import { handler as showTier } from "../../../functions/tiers/show.ts";
import { handler as updateTier } from "../../../functions/tiers/update.ts";
import { benefitsOf, brandsOf, destinationsOf, tiersOf } from "../world/records.ts";
import type { Act } from "./act.ts";
import { noteWrite } from "./owners-communities.ts";
import { admin, type Scene } from "./scene.ts";

const named =
  (property: string) =>
  (name: string): object => ({ [property]: { name } });

/** The records that rivals may edit: how to read and edit one, and which field an edit changes. */
const choices = {
  member: { show: showMember, update: updateMember, field: "notes" },
  tier: { show: showTier, update: updateTier, field: "name" },
  benefit: { show: showBenefit, update: updateBenefit, field: "name" },
  brand: { show: showBrand, update: updateBrand, field: "name" },
  community: { show: showCommunity, update: updateCommunity, field: "name" },
  destination: { show: showDestination, update: updateDestination, field: "description" },
};
type Kind = keyof typeof choices;

const bodies: Readonly<Record<Kind, (value: string) => object>> = {
  member: (notes) => ({ member: { metadata: { notes } } }),
  tier: named("tier"),
  benefit: named("benefit"),
  brand: named("brand"),
  community: named("community"),
  destination: (description) => ({ event_destination: { description } }),
};

type Params = Readonly<Record<string, string | number>> & { readonly id: string | number };

/** The path parameters of a record of a kind. Undefined if there is none. */
function paramsOf(scene: Scene, kind: Kind): Params | undefined {
  const { world } = scene;
  if (kind === "member") return scene.managed()?.params;
  if (kind === "community") return { id: scene.community().id };
  if (kind !== "brand") {
    const of = { tier: tiersOf, benefit: benefitsOf, destination: destinationsOf }[kind];
    const record = scene.pick<{ readonly id: number }>(of(world));
    return record && { id: record.id };
  }
  const brand = scene.pick(brandsOf(world));
  const [producer_id] = brand?.producer_ids ?? [];
  return brand && producer_id !== undefined ? { producer_id, id: brand.id } : undefined;
}

/** Several people read the same version of a record, and edit it at the same moment. */
export const compete: Act = async (scene) => {
  const { chance, name } = scene;
  const kind = chance.pick(Object.keys(choices) as Kind[]) ?? "member";
  const params = paramsOf(scene, kind);
  if (!params) return;
  const { show, update, field } = choices[kind];
  const etag = (await scene.send(show, { as: admin, params })).headers.etag;
  if (typeof etag !== "string") return;
  const edit = async (n: number) => {
    await scene.world.timeline.wait(chance.next() * 50);
    const value = `${name} ${n}`;
    const call = { as: admin, params, body: bodies[kind](value), headers: { "if-match": etag } };
    noteWrite(scene, kind, params.id, { [field]: value }, await scene.send(update, call));
  };
  await Promise.all(Array.from({ length: chance.integer(2, 4) }, (_, n) => edit(n)));
};
