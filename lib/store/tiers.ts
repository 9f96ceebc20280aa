import * as v from "valibot";
import type { Tier, TierFields } from "../domain/tier.ts";
import { type SetBy, shownIn, storedEntries } from "../fields/field.ts";
import { tierFields } from "../fields/tier.ts";
import { pick } from "../pick.ts";
import { Problem } from "../problem.ts";
import { Id } from "../values/scalars.ts";
import { type Actor, appendCommunityEntry } from "./activity.ts";
import { actionOf, alteredBy } from "./altered.ts";
import { catalogChange, changeCatalog } from "./catalog-version.ts";
import { expireSessions, renameProduct } from "./due.ts";
import type { Item } from "./expression.ts";
import { keys } from "./keys.ts";
import type { CommunityWithBenefits, OpenCommunity } from "./open-community.ts";
import { lastSequence } from "./sequence.ts";
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

/** Tiers by id. Missing tiers are left out. */
export async function findAll(
  table: Reader,
  references: readonly { readonly community_id: number; readonly tier_id: number }[],
): Promise<Map<number, StoredTier>> {
  const items = await table.getAll(references.map(({ community_id, tier_id }) => keys.tier(community_id, tier_id)));
  return new Map(items.map(fromItem).map((tier) => [tier.id, tier]));
}

/**
 * Adds a tier to a community. Of two concurrent additions, the later throws a `Conflict`, so that the limit holds. Also
 * throws a `Conflict` if the id is taken.
 */
export async function add(table: Writer, community: OpenCommunity, tier: TierFields, by: Actor): Promise<StoredTier> {
  const { id: community_id, tiers_added } = community;
  const stored: StoredTier = { ...tier, community_id, in_use: false, assignments: 0, version: 1 };
  await write(table, [
    { put: { ...keys.tier(community_id, tier.id), ...stored }, when: "absent" },
    { put: { ...keys.tierParent(tier.id), community_id }, when: "absent" },
    {
      update: keys.community(community_id),
      set: { tiers_added: (tiers_added ?? 0) + 1 },
      add: catalogChange,
      when: { is: { tiers_added } },
    },
    appendCommunityEntry(
      table,
      community_id,
      { record: { type: "tier", id: tier.id }, action: "created", before: null, after: pick(tier, auditedFields) },
      // Uses the time of the tier, not the current one, which is later because creating the price at Stripe took time.
      // Later entries are only guaranteed to be later than the tier's own time.
      { ...by, now: new Date(tier.created_at) },
    ),
  ]);
  return stored;
}

type TierChanges = Partial<Pick<StoredTier, SetBy<typeof tierFields, "patch" | "price">>>;

/** Updates a tier if its version is still the one that was read. Writes nothing if nothing differs. */
export async function update(table: Writer, tier: StoredTier, changes: TierChanges, by: Actor): Promise<StoredTier> {
  const altered = alteredBy<TierChanges>(tier, changes);
  if (!altered) return tier;
  const now = timeOver(tier, by.now);
  const set = { ...changes, updated_at: now.toISOString(), version: tier.version + 1 };
  await write(table, [
    { update: keys.tier(tier.community_id, tier.id), set, when: { is: { version: tier.version } } },
    changeCatalog(tier.community_id),
    ...(set.status === "archived" && tier.status !== "archived" ? [expireSessions(tier.community_id, by.now)] : []),
    ...(altered.after.name === undefined ? [] : [renameProduct(tier.community_id, tier.id, by.now)]),
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
 * Deletes an unused tier. Throws a `Conflict` if the tier is used or assigned at the same time.
 *
 * @throws Problem `tier_in_use`
 */
export async function remove(table: Writer, tier: StoredTier, isAssigned: boolean, by: Actor): Promise<void> {
  if (tier.in_use || isAssigned) throw new Problem("tier_in_use");
  const { version, assignments, community_id, id } = tier;
  await write(table, [
    { delete: keys.tier(community_id, id), when: { is: { version, assignments, in_use: false } } },
    { delete: keys.tierParent(id) },
    changeCatalog(community_id),
    appendCommunityEntry(
      table,
      community_id,
      { record: { type: "tier", id }, action: "deleted", before: pick(tier, auditedFields), after: null },
      { ...by, now: timeOver(tier, by.now) },
    ),
  ]);
}

/** Fields of a new or deleted tier that the activity shows. */
const auditedFields = shownIn(tierFields, "activity");

/** Marks a tier as used permanently. The transaction that contains this write fails if the tier does not exist. */
export const use = (communityId: number, tierId: number): Write => ({
  update: keys.tier(communityId, tierId),
  set: { in_use: true },
  when: "exists",
});

/** Counts a reference to a tier. The transaction that contains this write fails if the tier does not exist. */
export const depend = (communityId: number, tierId: number, otherwise: Error): Write => ({
  update: keys.tier(communityId, tierId),
  set: {},
  add: { assignments: 1 },
  when: "exists",
  otherwise,
});

/** The tier as the API returns it, with its active benefits in the order of the community. */
export function toResponse(
  tier: StoredTier,
  { benefits }: Pick<CommunityWithBenefits, "benefits">,
  { epoch, isDescribed = false }: { readonly epoch: number; readonly isDescribed?: boolean },
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
    sequence: lastSequence(tier.version, epoch),
  };
}
