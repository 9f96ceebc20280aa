import { handler as block } from "../../../functions/members/block.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as unblock } from "../../../functions/members/unblock.ts";
import type { Act } from "./act.ts";
import { noteBlock } from "./blocking.ts";

/** Sends more requests than a rate limit allows. Most are sent within a few seconds. */
export const hurry: Act = async (scene) => {
  const { chance, world, name } = scene;
  const managed = scene.managed();
  if (!managed || !world.areLimitsOn) return;
  const { as, params } = managed;
  const isMoney = chance.is(0.7);
  const span = chance.pick([0, 2000, 20_000]) ?? 0;
  const one = async (n: number) => {
    await world.timeline.wait(chance.next() * span);
    if (!isMoney) return scene.send(paymentHistory, { as, params });
    const value = n % 2 === 0;
    const call = { as, params, ...(value && { body: { reason: name } }) };
    return noteBlock(scene, managed, value, await scene.send(value ? block : unblock, call));
  };
  await Promise.all(Array.from({ length: isMoney ? chance.integer(22, 36) : 75 }, (_, n) => one(n)));
};
