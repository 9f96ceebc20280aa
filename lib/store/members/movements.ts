import { movementBetween } from "../../domain/movement.ts";
import type { StoredMovement } from "../../domain/movement-list.ts";
import { type Key, keys } from "../keys.ts";
import type { Write } from "../table.ts";
import { revisionOf, type StoredMember } from "./item.ts";

/**
 * Records a change of a member's access or monthly amount. Part of every transaction that may change the status, the block
 * or the monthly amount.
 */
export function recordMovement(before: StoredMember | undefined, after: StoredMember, now: Date): Write[] {
  const movement = movementBetween(before, after);
  if (!movement) return [];
  const revision = (before ? revisionOf(before) : 0) + 1;
  return putMovement(after.community_id, { member_id: after.id, at: now.toISOString(), ...movement }, revision);
}

/** @param revision makes the keys of movements in the same millisecond unique */
export const putMovement = (communityId: number, movement: StoredMovement, revision: number): Write[] =>
  itemsOf(communityId, movement, revision).map((put) => ({ put, when: "absent" }));

/** The items of a movement: one that the projections count, and one in the list of the community. */
export const itemsOf = (communityId: number, movement: StoredMovement, revision: number): (Key & StoredMovement)[] => {
  const { member_id, at } = movement;
  return [keys.movement, keys.listedMovement].map((keyOf) => ({
    ...keyOf(communityId, member_id, at, revision),
    ...movement,
  }));
};
