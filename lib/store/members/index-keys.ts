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
};
