import { type Billing, refusalOf } from "./stripe.ts";

/**
 * Changes how a subscription ends. Where a subscription schedule decides about that, Stripe refuses: then the
 * subscription is released from its schedule, and stays as it is.
 *
 * @param ask is called again, with `true`, after the release
 */
export const beyondSchedule = <T>(
  billing: Billing,
  subscription: string,
  ask: (isReleased: boolean) => Promise<T>,
): Promise<T> =>
  ask(false).catch(async (error: unknown) => {
    if (!/managed by the subscription schedule/i.test(refusalOf(error)?.message ?? "")) throw error;
    await release(billing, subscription);
    return ask(true);
  });

async function release(billing: Billing, subscription: string): Promise<void> {
  const { schedule } = await billing((stripe, options) => stripe.subscriptions.retrieve(subscription, {}, options));
  const id = typeof schedule === "string" ? schedule : schedule?.id;
  if (id) await billing((stripe, options) => stripe.subscriptionSchedules.release(id, {}, options));
}
