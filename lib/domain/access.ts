import type { Access } from "../values/access.ts";
import { type MemberStatus, statuses } from "../values/member-status.ts";

/** The fields of a membership that decide access. */
export type Subscription = {
  readonly status: MemberStatus;
  readonly is_blocked: boolean;
  readonly cancel_at_period_end: boolean;
  readonly cancel_at: string | null;
  readonly current_period_end: string;
  /** When the person was erased. */
  readonly erased_at?: string | undefined;
};

/** Whether a person has access, and why. The owner always has access; blocked members and erased people never do. */
export function accessOf(isOwner: boolean, subscription: Subscription | undefined): Access {
  if (isOwner) return { granted: true, reason: "owner", until: null };
  if (!subscription) return { granted: false, reason: "not_a_member", until: null };
  const { status, is_blocked, cancel_at_period_end, cancel_at, current_period_end } = subscription;
  const { grantsAccess, accessReason } = statuses[status];
  if (is_blocked) return { granted: false, reason: "blocked", until: null };
  if (subscription.erased_at !== undefined) return { granted: false, reason: "ended", until: null };
  if (grantsAccess && (cancel_at_period_end || cancel_at))
    return { granted: true, reason: "canceling", until: cancel_at ?? current_period_end };
  return { granted: grantsAccess, reason: accessReason, until: null };
}

/** Whether a person counts as a member: a subscription that grants access, no block, and no erasure. */
export const isMember = (
  subscription: (Pick<Subscription, "status" | "is_blocked"> & Partial<Subscription>) | undefined,
): boolean =>
  subscription !== undefined &&
  !subscription.is_blocked &&
  subscription.erased_at === undefined &&
  statuses[subscription.status].grantsAccess;
