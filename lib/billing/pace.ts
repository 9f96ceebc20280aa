import { env } from "../env.ts";
import { Problem } from "../problem.ts";
import type { Writer } from "../store/table.ts";
import { takePlace } from "../store/usage.ts";

/**
 * How many synchronizations events may begin in a second. Each asks Stripe three times, and Stripe takes 100 requests a
 * second in live mode (https://docs.stripe.com/rate-limits): more than half of them are left to people and the schedule.
 */
const places = { name: "EVENTS", perSecond: 15, ahead: 4 };

/**
 * Waits, for at most five seconds, until an event may have its customer synchronized.
 *
 * @throws Problem `too_many_requests` where many others wait: Stripe delivers the event again
 */
export async function awaitPlace(table: Writer): Promise<void> {
  if (env("THROTTLE") === "off") return;
  const milliseconds = await takePlace(table, places);
  if (milliseconds === undefined)
    throw new Problem("too_many_requests", { detail: "Too many events at once", headers: { "retry-after": "60" } });
  await table.runtime.wait(milliseconds);
}
