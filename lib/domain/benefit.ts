import * as v from "valibot";
import { benefitFields } from "../fields/benefit.ts";
import { type EntriesSetBy, shownEntries } from "../fields/field.ts";
import { Problem } from "../problem.ts";
import { Id, IntegerParameter, integer, oneOf } from "../values/scalars.ts";
import { Name, shownProse } from "../values/shown.ts";
import { PageQuery, Total } from "./page.ts";
import type { TierFields } from "./tier.ts";

const limits = { benefits: 200, tiers: 50, position: 1_000_000 };

/** The benefit record of the API. */
export const Benefit = v.object(shownEntries(benefitFields, "api"));
export type Benefit = v.InferOutput<typeof Benefit>;

/** An empty list leaves the benefit unassigned. */
const TierIds = v.array(Id);
const Description = shownProse(2000);
const Position = integer(0, limits.position);

export const BenefitListQuery = v.object({
  ...PageQuery.entries,
  status: v.optional(oneOf(["active", "archived", "all"]), "active"),
  tier_id: v.optional(IntegerParameter),
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
  } satisfies EntriesSetBy<typeof benefitFields, "post">),
});

export const BenefitUpdate = v.strictObject({
  benefit: v.strictObject({
    name: v.optional(Name),
    description: v.optional(Description),
    position: v.optional(Position),
    tier_ids: v.optional(TierIds),
  } satisfies EntriesSetBy<typeof benefitFields, "patch">),
});

export const TierAssignment = v.strictObject({ tier_ids: TierIds });

type Placed = Pick<Benefit, "id" | "position" | "created_at">;

/** Order of benefits: by position, then by creation time, then by id. */
export const inOrder = (a: Placed, b: Placed): number =>
  a.position - b.position || Date.parse(a.created_at) - Date.parse(b.created_at) || a.id - b.id;

/** The default position of a new benefit: one after the last. */
export const nextPosition = (benefits: readonly Placed[]): number =>
  Math.min(limits.position, 1 + Math.max(0, ...benefits.map(({ position }) => position)));

/** @throws Problem `limit_reached` if the community has 200 benefits */
export function assertRoom(benefits: readonly Placed[]): void {
  if (benefits.length >= limits.benefits)
    throw new Problem("limit_reached", { detail: `A community has at most ${limits.benefits} benefits` });
}

/**
 * The tier ids of an assignment, without duplicates and sorted.
 *
 * @param place JSON Pointer to the list in the body
 * @throws Problem `limit_reached` for more than 50, `unknown_tier` for a tier of another community
 */
export function assignmentOf(
  tierIds: readonly number[],
  tiers: readonly Pick<TierFields, "id">[],
  place = "/benefit/tier_ids",
): number[] {
  const assigned = [...new Set(tierIds)].toSorted((a, b) => a - b);
  if (assigned.length > limits.tiers)
    throw new Problem("limit_reached", {
      detail: `A benefit has at most ${limits.tiers} tiers`,
      errors: [{ pointer: place, code: "too_many", message: `must have at most ${limits.tiers} items` }],
    });
  const unknown = tierIds.findIndex((tierId) => !tiers.some(({ id }) => id === tierId));
  if (unknown >= 0) throw unknownTier(tierIds[unknown], `${place}/${unknown}`);
  return assigned;
}

/** @param pointer JSON Pointer to the tier in the body, if known */
export function unknownTier(tierId: number | undefined, pointer?: string): Problem {
  const detail = `Tier ${tierId} does not belong to this community`;
  if (pointer === undefined) return new Problem("unknown_tier", { detail });
  const message = "must be a tier of the community";
  return new Problem("unknown_tier", { detail, errors: [{ pointer, code: "unknown_reference", message }] });
}
