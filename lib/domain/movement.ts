import * as v from "valibot";
import { shownEntries, storedEntries } from "../fields/field.ts";
import { accessChanges, type MovementKind, movementFields, movementKinds } from "../fields/movement.ts";
import { oneOf, rule } from "../values/scalars.ts";
import { isMember, type Subscription } from "./access.ts";
import { Cursor, Per } from "./page.ts";
import { Day } from "./series.ts";

/**
 * A change of a member's access, monthly amount or both, at the time when Odis recorded it. Movements are never edited:
 * the past figures of a community are sums of its movements.
 */
export const StoredMovement = v.object(storedEntries(movementFields));
export type StoredMovement = v.InferOutput<typeof StoredMovement>;

/** A movement as lists show it, with the name of the member. */
export const Movement = v.object(shownEntries(movementFields, "api"));
export type Movement = v.InferOutput<typeof Movement>;

export const MovementQuery = v.pipe(
  v.object({
    access: v.optional(oneOf(accessChanges)),
    kind: v.optional(oneOf(movementKinds)),
    from: v.optional(Day),
    to: v.optional(Day),
    per: Per,
    cursor: Cursor,
  }),
  v.forward(
    rule("conflicts", ({ from = "", to = "9" }) => from <= to, "must not be before from"),
    ["to"],
  ),
);
export type MovementQuery = v.InferOutput<typeof MovementQuery>;

export const MovementPage = v.object({
  has_more: v.boolean(),
  next_cursor: v.nullable(v.string()),
  data: v.array(Movement),
});

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
