import type { MemberStatus } from "./member.ts";

/**
 * Whether a subscription of this status opens the community: the one table behind `is_member`, `member_count` and
 * `access` (`api.md`, section 3). A status that Stripe may add opens nothing.
 */
export const grantsAccess = (status: MemberStatus): boolean =>
  status === "active" || status === "trialing" || status === "past_due";

/** Whether a subscription of this status stands in the way of a new checkout (`api.md`, section 3). */
export const isLiveStatus = (status: MemberStatus): boolean => grantsAccess(status) || status === "unpaid";

/** What a person is to a community, as far as access goes. */
export type Standing = {
  readonly status: MemberStatus;
  readonly is_blocked: boolean;
  readonly cancel_at_period_end: boolean;
  readonly cancel_at: string | null;
  readonly current_period_end: string;
};

export type AccessReason =
  | "owner"
  | "active"
  | "trialing"
  | "past_due"
  | "canceling"
  | "blocked"
  | "ended"
  | "unpaid"
  | "incomplete"
  | "not_a_member";

export type Access = {
  granted: boolean;
  reason: AccessReason;
  /** When access ends if nothing else happens; null where no end is set. */
  until: string | null;
};

/** Whether a person is let in, and why. The owner always is; a blocked member never is. */
export function accessOf(isOwner: boolean, standing: Standing | undefined): Access {
  if (isOwner) return { granted: true, reason: "owner", until: null };
  if (!standing) return { granted: false, reason: "not_a_member", until: null };
  if (standing.is_blocked) return { granted: false, reason: "blocked", until: null };
  if (!grantsAccess(standing.status)) return { granted: false, reason: refusal(standing.status), until: null };
  if (standing.cancel_at_period_end || standing.cancel_at)
    return { granted: true, reason: "canceling", until: standing.cancel_at ?? standing.current_period_end };
  return { granted: true, reason: admission(standing.status), until: null };
}

/** Whether a person counts as a member: a subscription that grants access, and no block. */
export const isMember = (standing: Standing | undefined): boolean =>
  standing !== undefined && !standing.is_blocked && grantsAccess(standing.status);

const refusal = (status: MemberStatus): AccessReason =>
  status === "unpaid" || status === "incomplete" ? status : "ended";

const admission = (status: MemberStatus): AccessReason =>
  status === "trialing" || status === "past_due" ? status : "active";
