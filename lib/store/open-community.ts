import type { Community } from "../domain/community.ts";
import type { Figures } from "../domain/figures.ts";
import type { benefitFields } from "../fields/benefit.ts";
import type { communityFields } from "../fields/community.ts";
import type { Stored } from "../fields/field.ts";
import type { tierFields } from "../fields/tier.ts";

/** A community and what is read with it in the same Query. */
export type OpenCommunity = Community &
  Stored<typeof communityFields> & {
    readonly tiers: readonly Stored<typeof tierFields>[];
    /** Null until something has been counted. */
    readonly figures: Figures | null;
    /** Version of the figures; undefined until something has been counted. */
    readonly figures_version: number | undefined;
  };

/** A community with its benefits in order, archived ones included. */
export type CommunityWithBenefits = OpenCommunity & { readonly benefits: readonly Stored<typeof benefitFields>[] };
