import { handler as block } from "../../../functions/members/block.ts";
import { handler as unblock } from "../../../functions/members/unblock.ts";
import { isOk } from "../world/requests.ts";
import type { Scene } from "./scene.ts";

/** A member, and a caller who may manage their community. */
export type Managed = NonNullable<ReturnType<Scene["managed"]>>;

/**
 * Blocks or unblocks a member. If that may have changed nothing, a concurrent import may still change the member, so the
 * write counts as uncertain.
 *
 * @param how whether the request is sent like that of a careful client, or only once
 */
export async function setBlock(
  scene: Scene,
  { as, member, params }: Managed,
  value: boolean,
  how: "call" | "send" = "call",
): Promise<void> {
  const call = { as, params, ...(value && { body: { reason: scene.name } }) };
  const outcome = await scene[how](value ? block : unblock, call);
  const isChange = member.is_blocked !== value || !isOk(outcome);
  const known = isChange ? outcome : { ...outcome, status: 599 };
  scene.world.acknowledged.write({ kind: "member", id: member.id, field: "is_blocked" }, value, known);
}
