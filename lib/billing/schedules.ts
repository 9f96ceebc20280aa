import type Stripe from "stripe";
import type { PlannedPrice } from "../fields/operation.ts";
import { idOf, isoOf } from "./snapshot.ts";
import { type Billing, refusalOf, unlessIgnored } from "./stripe.ts";

/** Called before the release with the planned prices that the release discards. */
type BeforeRelease = (droppedPrices: readonly PlannedPrice[]) => Promise<void>;

/**
 * Changes how a subscription ends. If a subscription schedule manages the subscription, Stripe refuses the change. The
 * subscription is then released from the schedule, which discards the planned changes, and the change is sent again.
 *
 * @param send sends the change. Called again with `true` after the release
 */
export const releasingSchedule = <T>(
  billing: Billing,
  subscription: string,
  send: (isReleased: boolean) => Promise<T>,
  beforeRelease: BeforeRelease = async () => {},
): Promise<T> =>
  send(false).catch(async (error: unknown) => {
    if (!/managed by the subscription schedule/i.test(refusalOf(error)?.message ?? "")) throw error;
    await release(billing, subscription, beforeRelease);
    return send(true);
  });

async function release(billing: Billing, subscription: string, beforeRelease: BeforeRelease): Promise<void> {
  const { schedule } = await billing((stripe, options) =>
    stripe.subscriptions.retrieve(subscription, { expand: ["schedule"] }, options),
  );
  if (schedule === null || typeof schedule === "string") return;
  const { phases, current_phase } = schedule;
  const droppedPrices = phases
    .filter(({ start_date }) => current_phase !== null && start_date > current_phase.start_date)
    .flatMap(({ items, start_date }) =>
      items.map(({ price }) => ({ stripe_price_id: idOf(price) ?? "", starts_at: isoOf(start_date) })),
    );
  if (droppedPrices.length > 0) await beforeRelease(droppedPrices);
  await dropSchedule(billing, { schedule });
}

/** Ends the schedule of a subscription, which discards its later phases. */
export async function dropSchedule(
  billing: Billing,
  { schedule }: Pick<Stripe.Subscription, "schedule">,
  params: Stripe.SubscriptionScheduleReleaseParams = {},
): Promise<void> {
  const id = idOf(schedule);
  if (id === undefined) return;
  await billing((stripe, options) => stripe.subscriptionSchedules.release(id, params, options)).catch(
    unlessIgnored("release"),
  );
}
