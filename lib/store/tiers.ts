import * as v from "valibot";
import type { Tier, TierFields } from "../domain/tier.ts";
import { type SetBy, shownIn, storedEntries } from "../fields/field.ts";
import { tierFields } from "../fields/tier.ts";
import { pick } from "../pick.ts";
import { Problem } from "../problem.ts";
import { Id } from "../values/scalars.ts";
import { type Actor, appendCommunityEntry } from "./activity.ts";
import { actionOf, alteredBy } from "./altered.ts";
import { expireSessions } from "./due.ts";
import type { Item } from "./expression.ts";
import { keys } from "./keys.ts";
import type { CommunityWithBenefits, OpenCommunity } from "./open-community.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { timeOver, write } from "./write.ts";

/** A tier as it is stored. */
const StoredTier = v.object(storedEntries(tierFields));
export type StoredTier = v.InferOutput<typeof StoredTier>;

export const fromItem = (item: Item): StoredTier => v.parse(StoredTier, item);

/** The id of the community that a tier belongs to. */
export async function communityOf(table: Reader, tierId: number): Promise<number | undefined> {
  const item = await table.get(keys.tierParent(tierId));
  return item && v.parse(v.object({ community_id: Id }), item).community_id;
}

export async function find(table: Reader, communityId: number, tierId: number): Promise<StoredTier | undefined> {
  const item = await table.get(keys.tier(communityId, tierId));
  return item && fromItem(item);
}

/** Tiers by their ids; those that are not there are left out. */
export async function findAll(
  table: Reader,
  wanted: readonly { readonly community_id: number; readonly tier_id: number }[],
): Promise<Map<number, StoredTier>> {
  const items = await table.getAll(wanted.map(({ community_id, tier_id }) => keys.tier(community_id, tier_id)));
  return new Map(items.map(fromItem).map((tier) => [tier.id, tier]));
}

/**
 * Adds a tier to a community as it was read. Creations in a community follow each other, so that the limit holds: the
 * later of two at the same moment throws a `Conflict`, as does one whose id is taken.
 */
export async function add(table: Writer, community: OpenCommunity, tier: TierFields, by: Actor): Promise<void> {
  const { id: community_id, tiers_added } = community;
  const stored: StoredTier = { ...tier, community_id, in_use: false, assignments: 0, version: 1 };
  await write(table, [
    { put: { ...keys.tier(community_id, tier.id), ...stored }, when: "absent" },
    { put: { ...keys.tierParent(tier.id), community_id }, when: "absent" },
    {
      update: keys.community(community_id),
      set: { tiers_added: (tiers_added ?? 0) + 1 },
      when: { is: { tiers_added } },
    },
    appendCommunityEntry(
      table,
      community_id,
      { record: { type: "tier", id: tier.id }, action: "created", before: null, after: pick(tier, auditedFields) },
      // At the tier's own time, as later entries have times over it: Stripe has been asked since.
      { ...by, now: new Date(tier.created_at) },
    ),
  ]);
}

type TierChanges = Partial<Pick<StoredTier, SetBy<typeof tierFields, "patch" | "price">>>;

/** Writes what changes of a tier, over the version that was read. Where nothing differs, nothing changes. */
export async function update(table: Writer, tier: StoredTier, changes: TierChanges, by: Actor): Promise<StoredTier> {
  const altered = alteredBy<TierChanges>(tier, changes);
  if (!altered) return tier;
  const now = timeOver(tier, by.now);
  const set = { ...changes, updated_at: now.toISOString(), version: tier.version + 1 };
  await write(table, [
    { update: keys.tier(tier.community_id, tier.id), set, when: { is: { version: tier.version } } },
    ...(set.status === "archived" && tier.status !== "archived" ? [expireSessions(tier.community_id, by.now)] : []),
    appendCommunityEntry(
      table,
      tier.community_id,
      { record: { type: "tier", id: tier.id }, action: actionOf(altered.after), ...altered },
      { ...by, now },
    ),
  ]);
  return { ...tier, ...set };
}

/**
 * Deletes a tier that nothing has come to depend on. Throws a `Conflict` when something does meanwhile.
 *
 * @throws Problem `tier_in_use`
 */
export async function remove(table: Writer, tier: StoredTier, isAssigned: boolean, by: Actor): Promise<void> {
  if (tier.in_use || isAssigned) throw new Problem("tier_in_use");
  const { version, assignments, community_id, id } = tier;
  await write(table, [
    { delete: keys.tier(community_id, id), when: { is: { version, assignments, in_use: false } } },
    { delete: keys.tierParent(id) },
    appendCommunityEntry(
      table,
      community_id,
      { record: { type: "tier", id }, action: "deleted", before: pick(tier, auditedFields), after: null },
      { ...by, now: timeOver(tier, by.now) },
    ),
  ]);
}

/** What the activity shows of a tier that is new or deleted. */
const auditedFields = shownIn(tierFields, "activity");

/** Marks a tier as used permanently. The transaction that contains this write fails if the tier does not exist. */
export const use = (communityId: number, tierId: number): Write => ({
  update: keys.tier(communityId, tierId),
  set: { in_use: true },
  when: "exists",
});

/** Marks tiers as referred to. The transaction that contains these writes fails if one of them does not exist. */
export const depend = (communityId: number, tierId: number, otherwise: Error): Write => ({
  update: keys.tier(communityId, tierId),
  set: {},
  add: { assignments: 1 },
  when: "exists",
  otherwise,
});

/** The tier record, with those of its community's benefits that are active and its own, in the order of these. */
export function toResponse(
  tier: TierFields,
  { benefits }: Pick<CommunityWithBenefits, "benefits">,
  { isDescribed = false } = {},
): Tier {
  const own = benefits.filter(({ status, tier_ids }) => status === "active" && tier_ids.includes(tier.id));
  return {
    ...tier,
    benefits: own.map(({ id, name, position, description }) => ({
      id,
      name,
      position,
      ...(isDescribed && { description }),
    })),
  };
}
