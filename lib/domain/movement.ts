import type { MovementKind } from "../fields/movement.ts";
import { isMember, type Subscription } from "./access.ts";
import type { StoredMovement } from "./movement-list.ts";

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
): Pick<StoredMovement, "access" | "monthly"> | undefined {
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
