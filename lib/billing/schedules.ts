import type { PlannedPrice } from "../domain/operation.ts";
import { idOf, isoOf } from "./snapshot.ts";
import { type Billing, refusalOf } from "./stripe.ts";

/** Called with the prices that the release from a schedule drops, before the release. */
type BeforeRelease = (dropped: readonly PlannedPrice[]) => Promise<void>;

/**
 * Changes how a subscription ends. Where a subscription schedule decides about that, Stripe refuses: then the
 * subscription is released from its schedule, and stays as it is. What the schedule planned does not happen.
 *
 * @param ask is called again, with `true`, after the release
 */
export const beyondSchedule = <T>(
  billing: Billing,
  subscription: string,
  ask: (isReleased: boolean) => Promise<T>,
  beforeRelease: BeforeRelease = async () => {},
): Promise<T> =>
  ask(false).catch(async (error: unknown) => {
    if (!/managed by the subscription schedule/i.test(refusalOf(error)?.message ?? "")) throw error;
    await release(billing, subscription, beforeRelease);
    return ask(true);
  });

async function release(billing: Billing, subscription: string, beforeRelease: BeforeRelease): Promise<void> {
  const { schedule } = await billing((stripe, options) =>
    stripe.subscriptions.retrieve(subscription, { expand: ["schedule"] }, options),
  );
  if (schedule === null || typeof schedule === "string") return;
  const { id, phases, current_phase } = schedule;
  const dropped = phases
    .filter(({ start_date }) => current_phase !== null && start_date > current_phase.start_date)
    .flatMap(({ items, start_date }) =>
      items.map(({ price }) => ({ stripe_price_id: idOf(price) ?? "", starts_at: isoOf(start_date) })),
    );
  if (dropped.length > 0) await beforeRelease(dropped);
  await billing((stripe, options) => stripe.subscriptionSchedules.release(id, {}, options));
}
