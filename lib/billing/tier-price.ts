import type { Interval, Price } from "../domain/change.ts";
import { type Issue, Problem, validationFailed } from "../problem.ts";
import type { OpenCommunity } from "../store/open-community.ts";
import { type Billing, undefinedIfMissing } from "./stripe.ts";

/**
 * The price of an active tier for an interval, with its id at Stripe.
 *
 * @throws Problem `unknown_tier`; `validation_failed` if the tier has no yearly price
 */
export function soldAs({ tiers }: Pick<OpenCommunity, "tiers">, tier_id: number, interval: Interval) {
  const tier = tiers.find(({ id, status }) => id === tier_id && status === "active");
  if (!tier?.stripe_price_id) throw unknownTier("must be an active tier of the community");
  const { monthly_price_dollars: monthly, yearly_price_dollars: yearly, yearly_stripe_price_id } = tier;
  if (interval === "month") return { tier, ...priceOf(tier_id, interval, monthly), price_id: tier.stripe_price_id };
  if (yearly === null || yearly_stripe_price_id === null)
    throw validationFailed([
      { pointer: "/interval", code: "not_allowed", message: "must be month, because the tier has no yearly price" },
    ]);
  return { tier, ...priceOf(tier_id, interval, yearly), price_id: yearly_stripe_price_id };
}

const priceOf = (tier_id: number, interval: Interval, dollars: number): Price => ({
  tier_id,
  interval,
  cents: Math.round(dollars * 100),
});

/** Whether Stripe sells a price: neither it nor its product was archived. */
export async function isSold(billing: Billing, id: string): Promise<boolean> {
  const { active = false, product } =
    (await undefinedIfMissing(
      billing((stripe, options) => stripe.prices.retrieve(id, { expand: ["product"] }, options)),
    )) ?? {};
  return active && typeof product === "object" && !product.deleted && product.active;
}

export function unknownTier(message: string, cause?: unknown): Problem {
  const errors: Issue[] = [{ pointer: "/tier_id", code: "unknown_reference", message }];
  return new Problem("unknown_tier", { errors, cause });
}
