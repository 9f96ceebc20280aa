import * as v from "valibot";
import { Cents, Id, oneOf, Timestamp } from "../values/scalars.ts";
import { isMember, type Subscription } from "./access.ts";

/** What a change of a monthly amount is to the monthly recurring revenue (`docs/api.md`, section 9). */
export const movementKinds = ["new", "reactivated", "expansion", "contraction", "churned"] as const;
export type MovementKind = (typeof movementKinds)[number];

/**
 * A change of a member's access, of their monthly amount, or of both, when Odis recorded it. Movements never change: what a
 * community was in the past is the sum of them.
 */
export const Movement = v.object({
  member_id: Id,
  at: Timestamp,
  /** Whether access began or ended. Null if it did neither. */
  access: v.nullable(oneOf(["begun", "ended"])),
  /** How the monthly amount changed. Null if it did not. */
  monthly: v.nullable(v.object({ before_cents: Cents, after_cents: Cents, kind: oneOf(movementKinds) })),
});
export type Movement = v.InferOutput<typeof Movement>;

/** What of a member is recorded, whenever it changes. */
export type Recorded = Pick<Subscription, "status" | "is_blocked"> & {
  readonly monthly_cents: number;
  /** When the monthly amount was first more than 0. */
  readonly first_paying_at?: string | undefined;
};

/**
 * How a member moved who was `before`, undefined if they were none, and is `after`. Undefined if they did not. The mark of an
 * erasure moves nobody: the end of the membership, which follows, does.
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
