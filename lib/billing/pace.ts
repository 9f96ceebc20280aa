import { env } from "../env.ts";
import { Problem } from "../problem.ts";
import type { Writer } from "../store/table.ts";
import { takePlace } from "../store/usage.ts";

/**
 * How many synchronizations events and the schedule may begin in a second, together. Each calls three endpoints once. In
 * live mode, Stripe accepts 100 requests per second in total and 25 of each endpoint; in a sandbox, 25 in total
 * (https://docs.stripe.com/rate-limits). This is less than half of that, because two of these seconds can fall within one
 * of Stripe's, and people come first.
 */
const placesOf = (livemode: boolean) => ({ name: "EVENTS", perSecond: livemode ? 10 : 2, ahead: 4 });

/**
 * Waits, for at most five seconds, until an event may have its customer synchronized.
 *
 * @throws Problem `too_many_requests` where many others wait: Stripe delivers the event again
 */
export async function awaitPlace(table: Writer, livemode: boolean): Promise<void> {
  if (env("THROTTLE") === "off") return;
  const milliseconds = await takePlace(table, placesOf(livemode));
  if (milliseconds === undefined)
    throw new Problem("too_many_requests", { detail: "Too many events at once", headers: { "retry-after": "60" } });
  await table.runtime.wait(milliseconds);
}

/** Waits until the schedule may call Stripe, for as long as others do. */
export async function awaitTurn(table: Writer, livemode: boolean): Promise<void> {
  if (env("THROTTLE") === "off") return;
  for (;;) {
    const milliseconds = await takePlace(table, placesOf(livemode));
    await table.runtime.wait(milliseconds ?? 1000);
    if (milliseconds !== undefined) return;
  }
}
