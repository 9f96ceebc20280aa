import * as v from "valibot";
import { storedEntries } from "../../fields/field.ts";
import { renewalFields } from "../../fields/member.ts";
import { MemberStatus } from "../../values/member-status.ts";
import { Id, Timestamp } from "../../values/scalars.ts";
import { keys, prefixOf } from "../keys.ts";
import { queryAll } from "../query-all.ts";
import type { Reader } from "../table.ts";

/** A membership in the person's partition. */
export const Membership = v.object({
  status: MemberStatus,
  is_blocked: v.boolean(),
  cancel_at_period_end: v.boolean(),
  cancel_at: v.nullable(Timestamp),
  current_period_end: Timestamp,
  ...storedEntries(renewalFields),
  community_id: Id,
  member_id: Id,
  tier_id: Id,
  /** When the person was erased. */
  erased_at: v.optional(Timestamp),
});
export type Membership = v.InferOutput<typeof Membership>;

export async function find(table: Reader, userId: number, communityId: number): Promise<Membership | undefined> {
  const item = await table.get(keys.membership(userId, communityId));
  return item && v.parse(Membership, item);
}

/** All current and former memberships of a person, by community id: one strongly consistent Query. */
export async function ofUser(table: Reader, userId: number): Promise<Membership[]> {
  const { pk } = keys.membership(userId, 0);
  const items = await queryAll(table, { pk, prefix: prefixOf("membership").sk });
  return items.map((item) => v.parse(Membership, item));
}
