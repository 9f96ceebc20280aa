import { oneOf } from "./scalars.ts";

/** Everything that depends on the status of a member's subscription (`docs/api.md`, section 3). */
type StatusRules = {
  /** Whether the status grants access. Determines `is_member`, `member_count` and `access`. */
  readonly grantsAccess: boolean;
  /** Whether the status prevents a new checkout. */
  readonly isLive: boolean;
  /** Whether members of this status count in the monthly recurring revenue. */
  readonly pays: boolean;
  /** The `access.reason` of the caller's membership. */
  readonly accessReason: "active" | "trialing" | "past_due" | "ended" | "unpaid" | "incomplete";
  /** The event when the status changes to this one. Access, joining and recovery have separate events. */
  readonly event: "member.past_due" | "member.unpaid" | "member.canceled" | null;
  /** Whether a payment is overdue, so that a return to `active` is a recovery. */
  readonly isOverdue: boolean;
};

/** The statuses of a member, derived from those of Stripe. A block is separate from the status. */
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

/** An object with a value for each status. */
export const byStatus = <T>(of: (status: MemberStatus) => T): Record<MemberStatus, T> =>
  Object.fromEntries(MemberStatus.options.map((status) => [status, of(status)])) as Record<MemberStatus, T>;
