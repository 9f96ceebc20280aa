import { pick } from "../../pick.ts";
import type { AuditEntry } from "../activity.ts";
import { moveDue } from "../due.ts";
import type { Item } from "../expression.ts";
import type { Write } from "../write.ts";
import { memberIndex } from "./index-keys.ts";
import type { StoredMember } from "./item.ts";
import { recordMovement } from "./movements.ts";
import { endOf } from "./term.ts";

/** What ends a membership that no subscription at Stripe would end. */
export type Ending = {
  /** Attributes to set in the member, besides its versions. */
  readonly member: Item;
  /** Attributes to set in the person's membership. */
  readonly membership: Item;
  /** Further writes of the same transaction: the movement, and the row of the schedule. */
  readonly writes: readonly Write[];
  readonly entry: Pick<AuditEntry, "action" | "before" | "after">;
};

/**
 * What ends a membership now. Undefined if it has ended, or if it has a subscription at Stripe, whose end Stripe tells: a
 * checkout may have been completed just before the erasure's mark.
 */
export function endingOf(member: StoredMember, now: Date): Ending | undefined {
  if (member.status === "canceled" || member.stripe_subscription_id !== null) return undefined;
  const { term, entry } = endOf(member, now.toISOString());
  const after: StoredMember = { ...member, ...term };
  return {
    member: { ...term, status_pk: memberIndex.status(member.community_id, after.status) },
    membership: pick(after, ["status", "cancel_at", "cancel_at_period_end"]),
    writes: [...moveDue(member, after), ...recordMovement(member, after, now)],
    entry,
  };
}
