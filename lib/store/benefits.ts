import * as v from "valibot";
import { type Benefit, inOrder, unknownTier } from "../domain/benefit.ts";
import { benefitFields } from "../fields/benefit.ts";
import { type SetBy, shownIn, storedEntries } from "../fields/field.ts";
import { newId } from "../ids.ts";
import { pick } from "../pick.ts";
import { Id } from "../values/scalars.ts";
import { type Actor, appendCommunityEntry } from "./activity.ts";
import { actionOf, alteredBy } from "./altered.ts";
import { catalogChange, changeCatalog } from "./catalog-version.ts";
import { communityFrom } from "./communities.ts";
import type { Item } from "./expression.ts";
import { type Key, keys, ofKind } from "./keys.ts";
import type { CommunityWithBenefits, OpenCommunity } from "./open-community.ts";
import { queryAll } from "./query-all.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { depend } from "./tiers.ts";
import { timeOver, write } from "./write.ts";

/** A benefit as it is stored. */
const StoredBenefit = v.object(storedEntries(benefitFields));
export type StoredBenefit = v.InferOutput<typeof StoredBenefit>;

export const fromItem = (item: Item): StoredBenefit => v.parse(StoredBenefit, item);

/**
 * A community, its tiers and its benefits: one strongly consistent Query.
 *
 * @throws Problem `not_found`
 */
export async function open(table: Reader, communityId: number): Promise<CommunityWithBenefits> {
  const items = await queryAll(table, { pk: keys.community(communityId).pk });
  const benefits = ofKind(items, "benefit").map(fromItem);
  return { ...communityFrom(items, communityId, table.runtime), benefits: benefits.toSorted(inOrder) };
}

/** The id of the community that a benefit belongs to. */
export async function communityOf(table: Reader, benefitId: number): Promise<number | undefined> {
  const item = await table.get(keys.benefitParent(benefitId));
  return item && v.parse(v.object({ community_id: Id }), item).community_id;
}

export async function find(table: Reader, communityId: number, benefitId: number): Promise<StoredBenefit | undefined> {
  const item = await table.get(keys.benefit(communityId, benefitId));
  return item && fromItem(item);
}

type NewBenefit = Pick<StoredBenefit, SetBy<typeof benefitFields, "post">>;

/**
 * Adds a benefit to a community. Of two concurrent additions, the later throws a `Conflict`, so that the limit holds and
 * each default position is used once.
 *
 * @throws Problem `unknown_tier`
 */
export async function add(
  table: Writer,
  { id: community_id, benefits_added }: CommunityWithBenefits,
  input: NewBenefit,
  by: Actor,
): Promise<StoredBenefit> {
  const at = by.now.toISOString();
  const id = newId(by.now, table.runtime.random);
  const benefit: StoredBenefit = {
    ...input,
    id,
    community_id,
    status: "active",
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await write(table, [
    { put: { ...keyOf(benefit), ...benefit }, when: "absent" },
    { put: { ...keys.benefitParent(id), community_id }, when: "absent" },
    {
      update: keys.community(community_id),
      set: { benefits_added: benefits_added + 1 },
      add: catalogChange,
      when: { is: { benefits_added } },
    },
    ...tiersExist(community_id, input.tier_ids),
    appendCommunityEntry(
      table,
      community_id,
      { record: { type: "benefit", id }, action: "created", before: null, after: pick(benefit, auditedFields) },
      by,
    ),
  ]);
  return benefit;
}

/**
 * Updates a benefit if its version is still the one that was read. Writes nothing if nothing differs, or if one of its
 * tiers does not exist.
 *
 * @throws Problem `unknown_tier`
 */
export async function update(
  table: Writer,
  benefit: StoredBenefit,
  changes: Partial<Pick<StoredBenefit, SetBy<typeof benefitFields, "patch" | "archive">>>,
  by: Actor,
): Promise<StoredBenefit> {
  const altered = alteredBy<StoredBenefit>(benefit, changes);
  if (!altered) return benefit;
  const now = timeOver(benefit, by.now);
  const set = { ...altered.after, updated_at: now.toISOString(), version: benefit.version + 1 };
  await write(table, [
    { update: keyOf(benefit), set, when: { is: { version: benefit.version } } },
    changeCatalog(benefit.community_id),
    ...tiersExist(benefit.community_id, altered.after.tier_ids ?? []),
    appendCommunityEntry(
      table,
      benefit.community_id,
      { record: { type: "benefit", id: benefit.id }, action: actionOf(altered.after), ...altered },
      { ...by, now },
    ),
  ]);
  return { ...benefit, ...set };
}

/** Removes a benefit if its version is still the one that was read. */
export async function remove(table: Writer, benefit: StoredBenefit, by: Actor): Promise<void> {
  const { id, community_id, version } = benefit;
  await write(table, [
    { delete: keyOf(benefit), when: { is: { version } } },
    { delete: keys.benefitParent(id) },
    changeCatalog(community_id),
    appendCommunityEntry(
      table,
      community_id,
      { record: { type: "benefit", id }, action: "deleted", before: pick(benefit, auditedFields), after: null },
      { ...by, now: timeOver(benefit, by.now) },
    ),
  ]);
}

/** Fields of a new or deleted benefit that the activity shows. */
const auditedFields = shownIn(benefitFields, "activity");

const keyOf = ({ community_id, id }: StoredBenefit): Key => keys.benefit(community_id, id);

/** Conditions that make the transaction fail if a tier has been deleted meanwhile. */
const tiersExist = (communityId: number, tierIds: readonly number[]): Write[] =>
  tierIds.map((tierId) => depend(communityId, tierId, unknownTier(tierId)));

/** The benefit as the API returns it, with the current names of its tiers and community. */
export function toResponse(
  benefit: StoredBenefit,
  { id, name, tiers }: Pick<OpenCommunity, "id" | "name" | "tiers">,
): Benefit {
  const assigned = tiers.filter((tier) => benefit.tier_ids.includes(tier.id));
  return { ...benefit, tier_ids: assigned.map((tier) => tier.id), tiers: assigned, community: { id, name } };
}
