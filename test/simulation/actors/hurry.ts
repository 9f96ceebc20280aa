import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import type { Act } from "./act.ts";
import { setBlock } from "./blocking.ts";

/** Sends more requests than a rate limit allows. Most are sent within a few seconds. */
export const hurry: Act = async (scene) => {
  const { chance, world } = scene;
  const managed = scene.managed();
  if (!managed || !(world.areLimitsOn || scene.subject())) return;
  const { as, params } = managed;
  const isMoney = chance.is(0.7);
  const span = chance.pick([0, 2000, 20_000]) ?? 0;
  const one = async (n: number) => {
    await world.timeline.wait(chance.next() * span);
    if (!isMoney) return scene.send(paymentHistory, { as, params });
    return setBlock(scene, managed, n % 2 === 0, "send");
  };
  await Promise.all(Array.from({ length: isMoney ? chance.integer(22, 36) : 75 }, (_, n) => one(n)));
};
