import * as v from "valibot";
import { Problem } from "../problem.ts";
import { CommunityReference } from "../values/community-reference.ts";
import { documented } from "../values/documented.ts";
import { Id, IntegerParameter, integer, oneOf, Timestamp } from "../values/scalars.ts";
import { Name, shownProse } from "../values/shown.ts";
import { PageQuery, pageDocs, pageQueryDocs, Total } from "./page.ts";
import { timeDocs } from "./record.ts";
import type { TierFields } from "./tier.ts";

const limits = { benefits: 200, tiers: 50, position: 1_000_000 };

const benefitDocs = {
  name: ["Name of the benefit.", "A bottle each quarter"],
  description: ["What members get. May be empty.", "Chosen by the maestro, sent to your door."],
  position: ["Position among the benefits, lowest first. By default, a new benefit goes last.", 1],
  tier_ids: ["Identifiers of the tiers whose members get the benefit.", [11]],
} as const;

/** The benefit record, as the interface shows it. */
export const Benefit = documented(
  v.object({
    id: Id,
    name: v.string(),
    description: v.string(),
    position: v.number(),
    status: oneOf(["active", "archived"]),
    tier_ids: v.array(Id),
    tiers: v.array(
      documented(v.object({ id: Id, name: v.string(), position: v.number() }), {
        id: ["Unique identifier of the tier.", 11],
        name: ["Name of the tier.", "Reserva"],
        position: ["Position among the tiers, lowest first.", 1],
      }),
    ),
    community: CommunityReference,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  {
    id: ["Unique identifier of the benefit.", 21],
    ...benefitDocs,
    status: "Whether the benefit is shown. An archived benefit is hidden from members.",
    tiers: "The tiers in `tier_ids`, including archived ones, by position.",
    community: "The community that the benefit belongs to.",
    ...timeDocs,
  },
);
export type Benefit = v.InferOutput<typeof Benefit>;

/** An empty list leaves the benefit unassigned. */
const TierIds = v.array(Id);
const Description = shownProse(2000);
const Position = integer(0, limits.position);

export const BenefitListQuery = documented(
  v.object({
    ...PageQuery.entries,
    status: v.optional(oneOf(["active", "archived", "all"]), "active"),
    tier_id: v.optional(IntegerParameter),
  }),
  {
    ...pageQueryDocs,
    status: "Only benefits with this status.",
    tier_id: ["Only benefits of this tier.", "11"],
  },
);

export const BenefitPage = documented(
  v.object({ total: Total, has_more: v.boolean(), page: v.number(), per: v.number(), data: v.array(Benefit) }),
  pageDocs,
);

export const BenefitCreate = documented(
  v.strictObject({
    benefit: documented(
      v.strictObject({
        name: Name,
        description: v.optional(Description, ""),
        position: v.optional(Position),
        tier_ids: v.optional(TierIds, []),
      }),
      benefitDocs,
    ),
  }),
  { benefit: "The new benefit." },
);

export const BenefitUpdate = documented(
  v.strictObject({
    benefit: documented(
      v.strictObject({
        name: v.optional(Name),
        description: v.optional(Description),
        position: v.optional(Position),
        tier_ids: v.optional(TierIds),
      }),
      {
        ...benefitDocs,
        tier_ids: ["Identifiers of the tiers whose members get the benefit. Replaces the list.", [11]],
      },
    ),
  }),
  { benefit: "The fields to change. Omitted fields are left unchanged." },
);

export const TierAssignment = documented(v.strictObject({ tier_ids: TierIds }), {
  tier_ids: ["Identifiers of the tiers whose members get the benefit from now on. Empty to unassign it.", [11]],
});

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
 * An assignment to tiers of the benefit's community, each once and in the order of their ids.
 *
 * @param place JSON Pointer to the list in the body
 * @throws Problem `limit_reached` for more than 50, `unknown_tier` for one that is not of the community
 */
export function assignmentOf(
  tierIds: readonly number[],
  tiers: readonly Pick<TierFields, "id">[],
  place = "/benefit/tier_ids",
): number[] {
  const assigned = [...new Set(tierIds)].toSorted((a, b) => a - b);
  if (assigned.length > limits.tiers)
    throw new Problem("limit_reached", { detail: `A benefit has at most ${limits.tiers} tiers` });
  const unknown = tierIds.findIndex((tierId) => !tiers.some(({ id }) => id === tierId));
  if (unknown >= 0) throw unknownTier(tierIds[unknown], `${place}/${unknown}`);
  return assigned;
}

/** @param pointer where the tier is in the body, if that is known */
export function unknownTier(tierId: number | undefined, pointer?: string): Problem {
  const detail = `Tier ${tierId} does not belong to this community`;
  if (pointer === undefined) return new Problem("unknown_tier", { detail });
  const message = "must be a tier of the community";
  return new Problem("unknown_tier", { detail, errors: [{ pointer, code: "unknown_reference", message }] });
}
