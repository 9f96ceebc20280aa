import * as v from "valibot";
import { Id, oneOf, Timestamp } from "../values/scalars.ts";
import { isMember, type Subscription } from "./access.ts";

/** The effect of a changed monthly amount on the monthly recurring revenue (`docs/api.md`, section 9). */
export const movementKinds = ["new", "reactivated", "expansion", "contraction", "churned"] as const;
export type MovementKind = (typeof movementKinds)[number];

/**
 * A change of a member's access, monthly amount or both, at the time when Odis recorded it. Movements are never edited:
 * the past figures of a community are sums of its movements.
 */
export const Movement = v.object({
  member_id: Id,
  at: Timestamp,
  /** Whether access began or ended. Null if access did not change. */
  access: v.nullable(oneOf(["begun", "ended"])),
  /** How the monthly amount changed. Null if it did not change. */
  monthly: v.nullable(v.object({ before_cents: v.number(), after_cents: v.number(), kind: oneOf(movementKinds) })),
});
export type Movement = v.InferOutput<typeof Movement>;

/** The fields of a member whose changes are recorded as movements. */
export type Recorded = Pick<Subscription, "status" | "is_blocked"> & {
  /** In US cents and twelfths of a cent. */
  readonly monthly_cents: number;
  /** When the monthly amount was first more than 0. */
  readonly first_paying_at?: string | undefined;
};

/**
 * The movement of a member that changes from `before` to `after`. `before` is undefined for a new member. Returns
 * undefined if neither access nor the monthly amount changes. Marking a member as erased is no movement: the end of the
 * membership, which follows, is one.
 */
export function movementBetween(
  before: Recorded | undefined,
  after: Recorded,
): Pick<Movement, "access" | "monthly"> | undefined {
  const [had, has] = [before, after].map(isCounted);
  const access = had === has ? null : has ? "begun" : "ended";
  const [from, to] = [before?.monthly_cents ?? 0, after.monthly_cents];
  const kind = kindOf(from, to, before?.first_paying_at === undefined);
  const monthly = from === to ? null : { before_cents: from, after_cents: to, kind };
  return access === null && monthly === null ? undefined : { access, monthly };
}

const isCounted = (member: Recorded | undefined): boolean =>
  isMember(member && { status: member.status, is_blocked: member.is_blocked });

function kindOf(from: number, to: number, isFirst: boolean): MovementKind {
  if (from === 0) return isFirst ? "new" : "reactivated";
  if (to === 0) return "churned";
  return to > from ? "expansion" : "contraction";
}
