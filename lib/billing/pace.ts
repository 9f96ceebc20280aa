import { env } from "../env.ts";
import { Problem } from "../problem.ts";
import type { Writer } from "../store/table.ts";
import { takePlace } from "../store/usage.ts";

type Pace = {
  /** How many synchronizations events may begin in a second. */
  readonly eventsPerSecond: number;
  /** How many tasks the schedule works on at the same time. */
  readonly tasksTogether: number;
};

/**
 * How fast events and the schedule call Stripe. Each synchronization calls three endpoints once. In live mode, Stripe accepts
 * 100 requests per second in total and 25 of each endpoint; in a sandbox, 25 in total
 * (https://docs.stripe.com/rate-limits). Events take less than half of that, because two seconds of them can fall within
 * one of Stripe's, and people come first.
 */
export const paceOf = (livemode: boolean): Pace =>
  livemode ? { eventsPerSecond: 10, tasksTogether: 4 } : { eventsPerSecond: 2, tasksTogether: 1 };

/**
 * Waits, for at most five seconds, until an event may have its customer synchronized.
 *
 * @throws Problem `too_many_requests` where many others wait: Stripe delivers the event again
 */
export async function awaitPlace(table: Writer, livemode: boolean): Promise<void> {
  if (env("THROTTLE") === "off") return;
  const places = { name: "EVENTS", perSecond: paceOf(livemode).eventsPerSecond, ahead: 4 };
  const milliseconds = await takePlace(table, places);
  if (milliseconds === undefined)
    throw new Problem("too_many_requests", { detail: "Too many events at once", headers: { "retry-after": "60" } });
  await table.runtime.wait(milliseconds);
}
