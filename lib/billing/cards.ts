import type Stripe from "stripe";
import { pick } from "../pick.ts";
import type { StoredMember } from "../store/members/item.ts";
import { idOf, isLive } from "./snapshot.ts";
import { type Billing, refusalOf } from "./stripe.ts";

type Followed = {
  /** The subscription with the card that it has now. */
  readonly subscription: Stripe.Subscription;
  /** What to store, so that the next choice of a card is noticed. */
  readonly noted: Partial<Pick<StoredMember, "default_card">>;
};

/** The card that a customer has chosen for all payments. Undefined if they have none. Requires an expanded customer. */
function chosenCard({ customer }: Stripe.Subscription): string | undefined {
  if (typeof customer === "string" || customer.deleted) return undefined;
  return idOf(customer.invoice_settings.default_payment_method);
}

/**
 * Charges a subscription to the card that its customer has chosen since the last synchronization, as in the portal. A checkout
 * gives the subscription a card of its own, which Stripe would go on charging
 * (https://docs.stripe.com/payments/checkout/subscriptions/update-payment-details,
 * `docs/decisions/078-the-card-that-a-member-chooses.md`).
 */
export async function followCard(
  billing: Billing,
  subscription: Stripe.Subscription,
  before: StoredMember | undefined,
): Promise<Followed> {
  if (before?.erased_at !== undefined) return { subscription, noted: {} };
  const chosen = chosenCard(subscription);
  const noted = { default_card: chosen ?? null };
  const { id, customer, default_payment_method } = subscription;
  const isKnown =
    before?.default_card !== undefined &&
    before.stripe_subscription_id === id &&
    before.stripe_customer_id === idOf(customer);
  const isOther = isKnown && chosen !== before.default_card && idOf(default_payment_method) !== chosen;
  if (!isOther || chosen === undefined || default_payment_method === null || !isLive(subscription))
    return { subscription, noted };
  try {
    await billing((stripe, options) => stripe.subscriptions.update(id, { default_payment_method: chosen }, options));
    return { subscription: { ...subscription, default_payment_method: chosen }, noted };
  } catch (error) {
    // The subscription has ended, or the card was removed, meanwhile.
    if (!refusalOf(error)) throw error;
    return { subscription, noted: pick(before, ["default_card"]) };
  }
}

/**
 * Gives a schedule that Odis made the card that its subscription has now. Stripe does not document that a subscription keeps its
 * card when the next phase begins. A card of a schedule cannot be removed, so a subscription without its own gets that of its
 * customer.
 */
export async function keepCard(billing: Billing, subscription: Stripe.Subscription): Promise<void> {
  const { schedule } = subscription;
  if (schedule === null || typeof schedule === "string") return;
  const { id, status, metadata, default_settings } = schedule;
  if (status !== "active" || metadata?.made_by !== "odis") return;
  const card = cardFor(subscription, schedule);
  if (card === undefined || idOf(default_settings.default_payment_method) === card) return;
  const params = { default_settings: { default_payment_method: card } };
  await billing((stripe, options) => stripe.subscriptionSchedules.update(id, params, options)).catch(
    (error: unknown) => {
      // The schedule has ended meanwhile.
      if (!refusalOf(error)) throw error;
    },
  );
}

/** The card that a schedule should have. Undefined if it needs none. Requires an expanded customer. */
export function cardFor(
  subscription: Stripe.Subscription,
  { default_settings }: Stripe.SubscriptionSchedule,
): string | undefined {
  const own = idOf(subscription.default_payment_method);
  return own ?? (default_settings.default_payment_method === null ? undefined : chosenCard(subscription));
}
