import type Stripe from "stripe";
import type { Tier } from "../domain/tier.ts";
import * as tiers from "../store/tiers.ts";
import type { BillingContext } from "./context.ts";
import { type Billing, refusalOf, undefinedIfMissing } from "./stripe.ts";

type PricedTier = Pick<Tier, "id" | "name" | "monthly_price_dollars" | "yearly_price_dollars">;
type PriceIds = Pick<Tier, "stripe_price_id" | "yearly_stripe_price_id">;

/**
 * Creates the Stripe product and prices of a tier. The metadata of all of them names the tier and the community. Uses what
 * an earlier attempt has created. An idempotency key would repeat the failure of that attempt for a day.
 */
export async function createProductAndPrices(
  billing: Billing,
  communityId: number,
  tier: PricedTier,
): Promise<PriceIds> {
  const id = productOf(tier.id);
  const isNew = await billing((stripe, options) =>
    stripe.products.create({ id, name: tier.name, metadata: metadataOf(communityId, tier) }, options),
  ).then(
    () => true,
    (error: unknown) => {
      if (refusalOf(error)?.code !== "resource_already_exists") throw error;
      return false;
    },
  );
  const earlier = isNew ? [] : await pricesOf(billing, tier);
  const { monthly_price_dollars: monthly, yearly_price_dollars: yearly } = tier;
  const [stripe_price_id, yearly_stripe_price_id] = await Promise.all([
    obtainPrice(billing, communityId, tier, { interval: "month", dollars: monthly, earlier }),
    yearly === null ? null : obtainPrice(billing, communityId, tier, { interval: "year", dollars: yearly, earlier }),
  ]);
  return { stripe_price_id, yearly_stripe_price_id };
}

/**
 * Obtains the changed prices of a tier, for new members. Existing subscriptions keep their price.
 *
 * @returns the ids of the prices after the change
 */
export async function updatePrices(
  billing: Billing,
  tier: PricedTier & PriceIds & { readonly community_id: number },
  { monthly_price_dollars: monthly, yearly_price_dollars: yearly }: PricedTier,
): Promise<PriceIds> {
  const { community_id, stripe_price_id, yearly_stripe_price_id } = tier;
  const [isSameMonthly, isSameYearly] = [monthly === tier.monthly_price_dollars, yearly === tier.yearly_price_dollars];
  const earlier = isSameMonthly && (isSameYearly || yearly === null) ? [] : await pricesOf(billing, tier);
  const obtain = (interval: Interval, dollars: number) =>
    obtainPrice(billing, community_id, tier, { interval, dollars, earlier });
  const [newMonthly, newYearly] = await Promise.all([
    isSameMonthly ? stripe_price_id : obtain("month", monthly),
    isSameYearly ? yearly_stripe_price_id : yearly === null ? null : obtain("year", yearly),
  ]);
  return { stripe_price_id: newMonthly, yearly_stripe_price_id: newYearly };
}

type Interval = "month" | "year";

const metadataOf = (communityId: number, { id }: Pick<Tier, "id">) => ({
  tier_id: String(id),
  community_id: String(communityId),
});

/** The active prices of a tier's product. */
const pricesOf = async (billing: Billing, { id }: Pick<Tier, "id">): Promise<Stripe.Price[]> => {
  const query = { product: productOf(id), active: true, limit: 100 };
  return (await billing((stripe, options) => stripe.prices.list(query, options))).data;
};

type WantedPrice = { readonly interval: Interval; readonly dollars: number; readonly earlier: readonly Stripe.Price[] };

/**
 * Returns the id of an earlier price of a tier with this amount, such as of a request whose response was lost, or of a new one. It
 * has no idempotency key of its own, because Stripe would repeat the failure of an earlier attempt for a day.
 */
async function obtainPrice(
  billing: Billing,
  communityId: number,
  tier: Pick<Tier, "id">,
  { interval, dollars, earlier }: WantedPrice,
): Promise<string> {
  const metadata = metadataOf(communityId, tier);
  const wanted = { currency: "usd", unit_amount: Math.round(dollars * 100) };
  const found = earlier.find(
    (price) =>
      price.metadata.tier_id === metadata.tier_id &&
      price.recurring?.interval === interval &&
      price.currency === wanted.currency &&
      price.unit_amount === wanted.unit_amount &&
      isPlain(price),
  );
  if (found) return found.id;
  const parameters = { ...wanted, product: productOf(tier.id), recurring: { interval }, metadata };
  const { id } = await billing((stripe, options) => stripe.prices.create(parameters, options));
  return id;
}

/**
 * Whether a price costs its unit amount every interval, as a new price of a tier. One that somebody made in Stripe's dashboard may
 * be billed in another way.
 */
const isPlain = ({ recurring, transform_quantity, tax_behavior }: Stripe.Price): boolean =>
  recurring?.interval_count === 1 &&
  recurring.usage_type === "licensed" &&
  recurring.trial_period_days === null &&
  transform_quantity === null &&
  tax_behavior === "unspecified";

/** Copies the stored name of a tier to its Stripe product, if both exist. Idempotent. */
export async function renameProduct(
  { table, billing }: Pick<BillingContext, "table" | "billing">,
  { community_id, tier_id }: { readonly community_id: number; readonly tier_id: number },
): Promise<void> {
  const tier = await tiers.find(table, community_id, tier_id);
  if (!tier) return;
  const { name } = tier;
  await undefinedIfMissing(billing((stripe, options) => stripe.products.update(productOf(tier_id), { name }, options)));
}

/** The id of a tier's product. It is derived from the tier, so that a retry cannot create a second product. */
export const productOf = (tierId: number): string => `odis_tier_${tierId}`;
