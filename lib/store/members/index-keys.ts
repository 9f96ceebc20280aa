import { keys } from "../keys.ts";

/** Partition keys of the indexes that member lists are filtered by; their sort key is the member's own. */
export const memberIndex = {
  status: (communityId: number, status: string): string => `${keys.community(communityId).pk}#STATUS#${status}`,
  tier: (communityId: number, tierId: number): string => {
    const { pk, sk } = keys.tier(communityId, tierId);
    return `${pk}#${sk}`;
  },
  /** Members who are not blocked have an entry too: `is_blocked=false` matches nearly all members, and is as fast a filter. */
  blocked: (communityId: number, isBlocked: boolean): string =>
    `${keys.community(communityId).pk}#BLOCKED#${isBlocked}`,
};
