import type { Tier } from "../domain/tier.ts";
import { outcomeUnknown } from "../problem.ts";
import { type Billing, refusalOf } from "./stripe.ts";

type PricedTier = Pick<Tier, "id" | "name" | "monthly_price_dollars" | "yearly_price_dollars">;
type PriceIds = Pick<Tier, "stripe_price_id" | "yearly_stripe_price_id">;

/**
 * Creates the Stripe product and prices of a tier. The metadata of all of them names the tier and the community.
 * Idempotent.
 */
export async function createProductAndPrices(
  billing: Billing,
  communityId: number,
  tier: PricedTier,
): Promise<PriceIds> {
  const product = productOf(tier.id);
  await billing(
    (stripe, options) =>
      stripe.products.create({ id: product, name: tier.name, metadata: metadataOf(communityId, tier) }, options),
    `product-${tier.id}`,
  ).catch((error: unknown) => {
    if (refusalOf(error)?.code !== "resource_already_exists") throw error;
  });
  const { monthly_price_dollars: monthly, yearly_price_dollars: yearly } = tier;
  const create = (interval: Interval, dollars: number) =>
    createPrice(billing, communityId, tier, {
      interval,
      dollars,
      idempotencyKey: `price-${tier.id}${suffix[interval]}`,
    });
  const [stripe_price_id, yearly_stripe_price_id] = await Promise.all([
    create("month", monthly),
    yearly === null ? null : create("year", yearly),
  ]);
  return { stripe_price_id, yearly_stripe_price_id };
}

/**
 * Creates the changed prices of a tier, for new members. Existing subscriptions keep their price.
 *
 * @returns the ids of the prices after the change
 */
export async function updatePrices(
  billing: Billing,
  tier: PricedTier & PriceIds & { readonly community_id: number; readonly version: number },
  changed: PricedTier,
): Promise<PriceIds> {
  const { id, version, community_id, stripe_price_id, yearly_stripe_price_id } = tier;
  const create = (interval: Interval, dollars: number) =>
    createPrice(billing, community_id, changed, {
      interval,
      dollars,
      idempotencyKey: `price-${id}-${version}-${dollars}${suffix[interval]}`,
    });
  const { monthly_price_dollars: monthly, yearly_price_dollars: yearly } = changed;
  const [newMonthly, newYearly] = await Promise.all([
    monthly === tier.monthly_price_dollars ? stripe_price_id : create("month", monthly),
    yearly === tier.yearly_price_dollars ? yearly_stripe_price_id : yearly === null ? null : create("year", yearly),
  ]);
  return { stripe_price_id: newMonthly, yearly_stripe_price_id: newYearly };
}

type Interval = "month" | "year";

const suffix: Readonly<Record<Interval, string>> = { month: "", year: "-year" };

const metadataOf = (communityId: number, { id }: Pick<Tier, "id">) => ({
  tier_id: String(id),
  community_id: String(communityId),
});

type NewPrice = { readonly interval: Interval; readonly dollars: number; readonly idempotencyKey: string };

async function createPrice(
  billing: Billing,
  communityId: number,
  tier: Pick<Tier, "id">,
  { interval, dollars, idempotencyKey }: NewPrice,
): Promise<string> {
  const { id } = await billing(
    (stripe, options) =>
      stripe.prices.create(
        {
          product: productOf(tier.id),
          currency: "usd",
          unit_amount: Math.round(dollars * 100),
          recurring: { interval },
          metadata: metadataOf(communityId, tier),
        },
        options,
      ),
    idempotencyKey,
  );
  return id;
}

/**
 * Copies the stored name of a tier to its Stripe product. Idempotent.
 *
 * @throws Problem `outcome_unknown` if Stripe refuses, because the name is stored
 */
export async function renameProduct(billing: Billing, { id, name }: Pick<Tier, "id" | "name">): Promise<void> {
  await billing((stripe, options) => stripe.products.update(productOf(id), { name }, options)).catch(
    (error: unknown) => {
      throw refusalOf(error) ? outcomeUnknown(error) : error;
    },
  );
}

/** The id of a tier's product. It is derived from the tier, so that a retry cannot create a second product. */
export const productOf = (tierId: number): string => `odis_tier_${tierId}`;
