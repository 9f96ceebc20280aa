import { isOk, type Outcome } from "../world/requests.ts";
import type { Scene } from "./scene.ts";

/** A member, and a caller who may manage their community. */
export type Managed = NonNullable<ReturnType<Scene["managed"]>>;

/**
 * Records a block or unblock. If it may have changed nothing, a concurrent import may still change the member, so the
 * write counts as uncertain.
 */
export function noteBlock({ world }: Scene, { member }: Managed, value: boolean, outcome: Outcome): void {
  const isChange = member.is_blocked !== value || !isOk(outcome);
  const known = isChange ? outcome : { ...outcome, status: 599 };
  world.acknowledged.write({ kind: "member", id: member.id, field: "is_blocked" }, value, known);
}
