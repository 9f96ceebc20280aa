import { due } from "./agenda.ts";
import { expireIfOpen } from "./checkout.ts";
import { dispute } from "./disputes.ts";
import { eventLifetime } from "./events.ts";
import { settleIfStill } from "./refunds.ts";
import { announceTrialEnd, cancelAsScheduled, renew, retry } from "./renewals.ts";
import type { Task } from "./state.ts";
import { expire } from "./subscription-end.ts";
import type { World } from "./world.ts";

/** Does what has fallen due, in order, each thing at its own moment. */
export function catchUp(world: World): void {
  for (let task = due(world); task; task = due(world)) {
    const next = task;
    world.at(next.at, () =>
      world.transact(() => {
        world.remove("task", next.id);
        perform(world, next);
      }),
    );
  }
}

/** Lets time pass: the clock of this Stripe goes on from there. */
export function advance(world: World, seconds: number): void {
  const offset = world.get("clock", "clock")?.offset ?? 0;
  world.transact(() => world.put("clock", { id: "clock", offset: offset + seconds }));
  catchUp(world);
  forget(world);
}

/** Events and answers are not kept for ever. */
export function forget(world: World): void {
  world.transact(() => {
    const now = world.now();
    for (const event of world.rows("event"))
      if (event.created < now - eventLifetime && event.pending_webhooks === 0) world.remove("event", event.id);
    for (const replay of world.rows("replay")) if (replay.expires <= now) world.remove("replay", replay.id);
  });
}

function perform(world: World, task: Task): void {
  switch (task.do) {
    case "renew":
      return renew(world, task.subscription);
    case "cancel":
      return cancelAsScheduled(world, task.subscription);
    case "announce_trial_end":
      return announceTrialEnd(world, task.subscription);
    case "expire": {
      const subscription = world.get("subscription", task.subscription);
      return subscription?.status === "incomplete" ? expire(world, subscription) : undefined;
    }
    case "retry":
      return retry(world, task.invoice);
    case "expire_session":
      return expireIfOpen(world, task.session);
    case "settle":
      return settleIfStill(world, task.refund, task.status);
    case "dispute":
      return void dispute(world, task.charge, task.status);
  }
}
