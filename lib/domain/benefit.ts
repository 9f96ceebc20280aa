import * as v from "valibot";
import { Problem } from "../problem.ts";
import { PageQuery, Total } from "./page.ts";
import { Id, IdParameter, Name, Timestamp, text } from "./scalars.ts";
import type { Tier } from "./tier.ts";

const limits = { benefits: 200, tiers: 50, position: 1_000_000 };

/** The benefit record, as the interface shows it. */
export const Benefit = v.object({
  id: Id,
  name: v.string(),
  description: v.string(),
  position: v.number(),
  status: v.picklist(["active", "archived"]),
  tier_ids: v.array(Id),
  /** The tiers that it is assigned to, archived ones too, by their position. */
  tiers: v.array(v.object({ id: Id, name: v.string(), position: v.number() })),
  community: v.object({ id: Id, name: v.string() }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Benefit = v.InferOutput<typeof Benefit>;

/** An empty list leaves the benefit unassigned. */
const TierIds = v.array(Id);
const Description = text(0, 2000);
const Position = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(limits.position));

export const BenefitListQuery = v.object({
  ...PageQuery.entries,
  status: v.optional(v.picklist(["active", "archived", "all"]), "active"),
  tier_id: v.optional(IdParameter),
});

export const BenefitPage = v.object({
  total: Total,
  has_more: v.boolean(),
  page: v.number(),
  per: v.number(),
  data: v.array(Benefit),
});

export const BenefitCreate = v.strictObject({
  benefit: v.strictObject({
    name: Name,
    description: v.optional(Description, ""),
    position: v.optional(Position),
    tier_ids: v.optional(TierIds, []),
  }),
});

export const BenefitUpdate = v.strictObject({
  benefit: v.strictObject({
    name: v.optional(Name),
    description: v.optional(Description),
    position: v.optional(Position),
    tier_ids: v.optional(TierIds),
  }),
});

export const TierAssignment = v.strictObject({ tier_ids: TierIds });

type Placed = Pick<Benefit, "id" | "position" | "created_at">;

/** The one order of benefits: by position, then by when they were created, then by id. */
export const inOrder = (a: Placed, b: Placed): number =>
  a.position - b.position || Date.parse(a.created_at) - Date.parse(b.created_at) || a.id - b.id;

/** Where a benefit of these goes that is given no position: one after the last. */
export const nextPosition = (benefits: readonly Placed[]): number =>
  Math.min(limits.position, 1 + Math.max(0, ...benefits.map(({ position }) => position)));

/** @throws Problem `limit_reached` where a community has its 200 */
export function assertRoom(benefits: readonly Placed[]): void {
  if (benefits.length >= limits.benefits)
    throw new Problem("limit_reached", { detail: `A community has at most ${limits.benefits} benefits` });
}

/**
 * An assignment to tiers of the benefit's community, each once.
 *
 * @throws Problem `limit_reached` for more than 50, `unknown_tier` for one that is not of the community
 */
export function assignmentOf(tierIds: readonly number[], tiers: readonly Tier[]): number[] {
  const assigned = [...new Set(tierIds)];
  if (assigned.length > limits.tiers)
    throw new Problem("limit_reached", { detail: `A benefit has at most ${limits.tiers} tiers` });
  const unknown = assigned.find((tierId) => !tiers.some(({ id }) => id === tierId));
  if (unknown !== undefined) throw unknownTier(unknown);
  return assigned;
}

export const unknownTier = (tierId: number): Problem =>
  new Problem("unknown_tier", { detail: `Tier ${tierId} is not one of this community` });
