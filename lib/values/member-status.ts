import { oneOf } from "./scalars.ts";

/** Everything that depends on the status of a member's subscription (`docs/api.md`, section 3). */
type StatusRules = {
  /** Whether it opens the community: the one table behind `is_member`, `member_count` and `access`. */
  readonly grantsAccess: boolean;
  /** Whether it prevents a new checkout. */
  readonly isLive: boolean;
  /** Whether members of this status count in the monthly recurring revenue. */
  readonly pays: boolean;
  /** The `access.reason` of the caller's membership. */
  readonly accessReason: "active" | "trialing" | "past_due" | "ended" | "unpaid" | "incomplete";
  /** The event that is sent when the status becomes it. Access, joining and recovery have events of their own. */
  readonly event: "member.past_due" | "member.unpaid" | "member.canceled" | null;
  /** Whether a payment is overdue, so that a return to `active` is a recovery. */
  readonly isOverdue: boolean;
};

/** A member's status is Stripe's, in six words; being blocked is a fact apart from it. */
export const statuses = {
  active: {
    grantsAccess: true,
    isLive: true,
    pays: true,
    accessReason: "active",
    event: null,
    isOverdue: false,
  },
  trialing: {
    grantsAccess: true,
    isLive: true,
    pays: false,
    accessReason: "trialing",
    event: null,
    isOverdue: false,
  },
  past_due: {
    grantsAccess: true,
    isLive: true,
    pays: true,
    accessReason: "past_due",
    event: "member.past_due",
    isOverdue: true,
  },
  unpaid: {
    grantsAccess: false,
    isLive: true,
    pays: false,
    accessReason: "unpaid",
    event: "member.unpaid",
    isOverdue: true,
  },
  canceled: {
    grantsAccess: false,
    isLive: false,
    pays: false,
    accessReason: "ended",
    event: "member.canceled",
    isOverdue: false,
  },
  incomplete: {
    grantsAccess: false,
    isLive: false,
    pays: false,
    accessReason: "incomplete",
    event: null,
    isOverdue: false,
  },
} as const satisfies Record<string, StatusRules>;

export type MemberStatus = keyof typeof statuses;
export const MemberStatus = oneOf(Object.keys(statuses) as MemberStatus[]);

/** One value for each status; `of` says which. */
export const byStatus = <T>(of: (status: MemberStatus) => T): Record<MemberStatus, T> =>
  Object.fromEntries(MemberStatus.options.map((status) => [status, of(status)])) as Record<MemberStatus, T>;
