import type { Community } from "../domain/community.ts";
import type { Figures } from "../domain/figures.ts";
import type { benefitFields } from "../fields/benefit.ts";
import type { communityFields } from "../fields/community.ts";
import type { Stored } from "../fields/field.ts";
import type { tierFields } from "../fields/tier.ts";

/** A community and the records that the same Query reads. */
export type OpenCommunity = Community &
  Stored<typeof communityFields> & {
    readonly tiers: readonly Stored<typeof tierFields>[];
    /** Null until a member has been counted. */
    readonly figures: Figures | null;
    /** Version of the figures. Undefined until a member has been counted. */
    readonly figures_version: number | undefined;
  };

/** A community with its benefits in order, archived ones included. */
export type CommunityWithBenefits = OpenCommunity & { readonly benefits: readonly Stored<typeof benefitFields>[] };
