import type Stripe from "stripe";
import { customerOf, look, subscriptionsOf } from "../world/dashboard.ts";
import { membersOf } from "../world/records.ts";
import type { World } from "../world/world.ts";

const live: readonly string[] = ["active", "trialing", "past_due", "unpaid"];

/** A subscription that Odis shows is not charged to a card which is older than the one that the customer has chosen since. */
export function assertChosenCards(world: World): void {
  for (const { id, stripe_customer_id, stripe_subscription_id, erased_at } of membersOf(world)) {
    const customer = stripe_customer_id === null ? undefined : customerOf(world, stripe_customer_id);
    if (!customer || customer.deleted || erased_at !== undefined) continue;
    const shown = subscriptionsOf(world, customer.id).find((one) => one.id === stripe_subscription_id);
    if (!shown || !live.includes(shown.status)) continue;
    const own = cardOf(world, shown.default_payment_method);
    const chosen = cardOf(world, customer.invoice_settings.default_payment_method);
    if (!own || !chosen || own.created >= chosen.created) continue;
    if (chosen.created * 1000 > shownSince(world, shown.id) + 1000)
      world.violate("chosen card", `member ${id} has chosen ${chosen.id}, and ${shown.id} is charged to ${own.id}`);
  }
}

const cardOf = (world: World, card: string | Stripe.PaymentMethod | null) =>
  look(world, (account) => account.get("payment_method", typeof card === "string" ? card : card?.id));

/** When a member was stored with a subscription for the first time, with the card that their customer had chosen until then. */
function shownSince({ changes }: World, subscription: string): number {
  const first = changes.find(({ record: { dynamodb } }) => {
    const { stripe_subscription_id: stored, default_card: card } = dynamodb.NewImage ?? {};
    return stored?.S === subscription && card !== undefined;
  });
  return first?.at ?? Number.POSITIVE_INFINITY;
}
