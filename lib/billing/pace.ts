import { env } from "../env.ts";
import { Problem } from "../problem.ts";
import type { Writer } from "../store/table.ts";
import { takePlace } from "../store/usage.ts";

/**
 * Maximum number of synchronizations per second that events and the schedule may begin together. Each calls three
 * endpoints once. Stripe accepts 100 requests per second and 25 per endpoint in live mode, and 25 in a sandbox
 * (https://docs.stripe.com/rate-limits). The limit is less than half of that, because two seconds of our clock can
 * overlap one second of Stripe's, and because requests of people take priority.
 */
const rateLimitOf = (livemode: boolean) => ({ name: "EVENTS", perSecond: livemode ? 10 : 2, ahead: 4 });

/**
 * Waits at most five seconds until an event may synchronize its customer.
 *
 * @throws Problem `too_many_requests` if too many events wait. Stripe then delivers the event again
 */
export async function awaitEventPlace(table: Writer, livemode: boolean): Promise<void> {
  if (env("THROTTLE") === "off") return;
  const milliseconds = await takePlace(table, rateLimitOf(livemode));
  if (milliseconds === undefined)
    throw new Problem("too_many_requests", { detail: "Too many events at once", headers: { "retry-after": "60" } });
  await table.runtime.wait(milliseconds);
}

/** Waits without a limit until the schedule may begin a synchronization. */
export async function awaitSchedulePlace(table: Writer, livemode: boolean): Promise<void> {
  if (env("THROTTLE") === "off") return;
  for (;;) {
    const milliseconds = await takePlace(table, rateLimitOf(livemode));
    await table.runtime.wait(milliseconds ?? 1000);
    if (milliseconds !== undefined) return;
  }
}
