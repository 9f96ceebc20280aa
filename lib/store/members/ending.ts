import { pick } from "../../pick.ts";
import type { AuditEntry } from "../activity.ts";
import { moveDue } from "../due.ts";
import type { Item } from "../expression.ts";
import type { Write } from "../write.ts";
import { memberIndex } from "./index-keys.ts";
import type { StoredMember } from "./item.ts";
import { recordMovement } from "./movements.ts";

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

/** What ends a membership now. Undefined if it has ended. */
export function endingOf(member: StoredMember, now: Date): Ending | undefined {
  if (member.status === "canceled") return undefined;
  const at = now.toISOString();
  const membership = { status: "canceled", cancel_at: null, cancel_at_period_end: false } as const;
  const ended = { ...membership, canceled_at: member.canceled_at ?? at, ended_at: at, monthly_cents: 0 };
  const after: StoredMember = { ...member, ...ended };
  return {
    member: { ...ended, status_pk: memberIndex.status(member.community_id, "canceled") },
    membership,
    // An erased person may have been counted as a member by an earlier version.
    writes: [...moveDue(member, after), ...recordMovement({ ...member, erased_at: undefined }, after, now)],
    entry: {
      action: "canceled",
      before: pick(member, ["status", "ended_at"]),
      after: pick(after, ["status", "ended_at"]),
    },
  };
}
