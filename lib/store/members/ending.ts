import { pick } from "../../pick.ts";
import type { AuditEntry } from "../activity.ts";
import { moveDue } from "../due.ts";
import type { Item } from "../expression.ts";
import type { Write } from "../table.ts";
import { memberIndex } from "./index-keys.ts";
import { accessKeyOf, type StoredMember } from "./item.ts";
import { recordMovement } from "./movements.ts";
import { endOf, termNames } from "./term.ts";

/** The changes that end a membership without a subscription in Stripe. */
export type Ending = {
  /** Attributes to set in the member, besides its versions. */
  readonly member: Item;
  /** Attributes to set in the person's membership. */
  readonly membership: Item;
  /** Further writes of the same transaction: the movement, and the row of the schedule. */
  readonly writes: readonly Write[];
  readonly entry: Pick<AuditEntry, "action" | "before" | "after">;
};

/** The changes that end a membership now. Undefined if it has ended. */
export function endingOf(member: StoredMember, now: Date): Ending | undefined {
  if (member.status === "canceled") return undefined;
  const { term, entry } = endOf(member, now.toISOString());
  const after: StoredMember = { ...member, ...term };
  return {
    member: {
      ...term,
      status_pk: memberIndex.status(member.community_id, after.status),
      access_pk: accessKeyOf(after),
    },
    membership: pick(after, termNames),
    writes: [...moveDue(member, after), ...recordMovement(member, after, now)],
    entry,
  };
}
