import Stripe from "stripe";
import type { Deliver } from "stripe-stand-in";
import { eventTypes } from "#lib/billing/events.ts";
import { timeLimitOf } from "#lib/contract/time-limits.ts";
import { handler } from "../../../functions/webhooks/stripe.ts";
import { Crashed } from "./invocation.ts";
import { takeCause } from "./log.ts";
import { eventFor } from "./requests.ts";
import type { World } from "./world.ts";

export const webhook = { url: "http://127.0.0.1/webhooks/stripe", secret: "whsec_simulation" };

const minute = 60_000;

/**
 * Delivers Stripe's events to the webhook. Depending on the faults, events are lost, late, duplicated or out of order.
 */
export function deliverTo(world: World): Deliver {
  let deliveries = 0;
  return async ({ body }) => {
    const { chance, faults, timeline } = world;
    // The endpoint subscribes to some event types, while the stand-in sends all.
    const { type, data } = JSON.parse(body) as Pick<Stripe.Event, "type"> & { data: { object: { id?: string } } };
    if (!eventTypes.some((one) => one === type)) return 200;
    const id = ++deliveries;
    if (faults.strikes("webhook_lost", chance)) {
      await timeline.wait(1000);
      throw new Error("The network has lost it");
    }
    if (faults.strikes("webhook_late", chance)) await timeline.wait(chance.next() * 90 * minute);
    if (faults.strikes("webhook_reordered", chance)) await timeline.wait(chance.next() * 3000);
    const isRepeated = world.repeatedEvents.delete(data.object.id ?? "");
    if (isRepeated || faults.strikes("webhook_doubled", chance)) {
      const delay = chance.pick([0, 600 * chance.next()]) ?? 0;
      const again = timeline.wait(delay).then(() => receive(world, { body, type }, `${id} again`));
      void world.busy(again).catch(() => {});
    }
    return receive(world, { body, type }, String(id));
  };
}

type Event = { readonly body: string; readonly type: string };

async function receive(world: World, { body, type }: Event, id: string): Promise<number> {
  const { skew } = world.chance.pick(world.environments) ?? { skew: 0 };
  // The SDK compares the time of the signature with the real clock.
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret: webhook.secret });
  const event = eventFor(handler.route, { raw: body, headers: { "stripe-signature": signature } }, `webhook ${id}`);
  try {
    const { statusCode = 0 } = await world.invoke(
      "webhook",
      { lifetime: 1000 * timeLimitOf(handler.route), skew },
      (mount, invocation) => handler.on(mount)(event, invocation.context),
    );
    world.noteResponse(handler.route, statusCode);
    world.journal.note(`webhook ${id} ${type}: ${statusCode}`);
    const defect = takeCause(event.requestContext.requestId);
    if (defect !== undefined) world.violate("no 500", `the webhook answered 500 to ${type}: ${defect}`);
    return statusCode;
  } catch (error) {
    if (!(error instanceof Crashed)) throw error;
    world.journal.note(`webhook ${id} ${type}: crashed`);
    throw error;
  }
}
