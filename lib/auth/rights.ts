import type { TeamRole } from "../values/team-role.ts";

/**
 * The rights in a community that its owner can give, with the roles that have them (`docs/api.md`, section 2). A route with
 * access `owner` names the right that it needs. Without a right, it is for the owner and admins only.
 */
export const rights = {
  figures_read: ["manager", "support", "viewer"],
  /** Tiers and benefits. */
  catalog_read: ["manager", "support", "viewer"],
  members_read: ["manager", "support"],
  /** The member list as a file. */
  members_export: ["manager"],
  /** Addresses, notes, metadata, blocks and cancellations. */
  members_write: ["manager", "support"],
  members_import: ["manager"],
  refunds_write: ["manager"],
  /** Changes of a member's tier or interval. */
  subscriptions_change: ["manager"],
  activity_read: ["manager", "support"],
  deliveries_read: ["manager"],
  catalog_write: ["manager"],
  /** Name, slug and picture of the community. */
  community_write: ["manager"],
} as const satisfies Record<string, readonly TeamRole[]>;

export type Right = keyof typeof rights;

/** The roles that have a right. */
export const rolesWith = (right: Right): readonly TeamRole[] => rights[right];
