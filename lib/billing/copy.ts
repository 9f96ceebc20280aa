import { type Confirmation, confirmationOf } from "../store/members/confirmation.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import type { Link } from "../store/members/sync.ts";
import { type Ledger, ledgerOf } from "../store/operations.ts";
import type { BillingContext } from "./context.ts";

/** The stored copy of a member. It is read before Stripe, so that Stripe's data is always newer than the copy. */
export type Copy = {
  readonly member: StoredMember | undefined;
  /** Read after the member. */
  readonly confirmation: Confirmation;
  readonly ledger: Ledger;
};

/** Reads the member before the ledger: a write that the ledger lacks then makes the condition on the member fail. */
export async function readCopy({ table }: BillingContext, { community_id, member_id }: Link): Promise<Copy> {
  const member = await members.find(table, community_id, member_id);
  const [confirmation, ledger] = await Promise.all([confirmationOf(table, member), ledgerOf(table, member_id)]);
  return { member, confirmation, ledger };
}

/**
 * Whether a synchronization whose copy is outdated can end without reading Stripe again. True if two other
 * synchronizations have written or confirmed the copy since this one began: the second one read the copy after the first
 * one's write, and then read Stripe, so its data is newer. The write of an erasure does not count, because an erasure does
 * not read Stripe. Neither does that of an earlier version of Odis, which does not know confirmations.
 */
export const isCoveredByOthers = (initial: Copy, latest: Copy): boolean =>
  latest.member?.erased_at === undefined &&
  latest.confirmation.confirmed_version === latest.member?.sync_version &&
  countOf(latest) >= countOf(initial) + 2;

/** Number of synchronizations of a member. */
const countOf = ({ member, confirmation }: Copy): number =>
  (member?.sync_version ?? 0) + (confirmation.confirmations ?? 0);
