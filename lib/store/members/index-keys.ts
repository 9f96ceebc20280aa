import { keys } from "../keys.ts";

/** Partition keys of the indexes for filtered member lists. Their sort key is that of the member's item. */
export const memberIndex = {
  status: (communityId: number, status: string): string => `${keys.community(communityId).pk}#STATUS#${status}`,
  tier: (communityId: number, tierId: number): string => {
    const { pk, sk } = keys.tier(communityId, tierId);
    return `${pk}#${sk}`;
  },
  /** Also contains members who are not blocked, so that the filter `is_blocked=false` is fast. */
  blocked: (communityId: number, isBlocked: boolean): string =>
    `${keys.community(communityId).pk}#BLOCKED#${isBlocked}`,
  /** A list for each tier, so that a tier can change whether it requires an address without a write of its members. */
  access: (communityId: number, tierId: number, hasAccess: boolean, hasAddress: boolean): string =>
    `${memberIndex.tier(communityId, tierId)}#ACCESS#${hasAccess}#ADDRESS#${hasAddress}`,
};
