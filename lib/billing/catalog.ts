import type { Tier } from "../domain/tier.ts";
import { outcomeUnknown } from "../problem.ts";
import { type Billing, refusalOf } from "./stripe.ts";

type TierPrice = Pick<Tier, "id" | "name" | "monthly_price_dollars">;

/** Creates the Stripe product and price of a tier. The metadata of both names the tier and the community. Idempotent. */
export async function createProductAndPrice(billing: Billing, communityId: number, tier: TierPrice): Promise<string> {
  const metadata = { tier_id: String(tier.id), community_id: String(communityId) };
  const product = productOf(tier.id);
  await billing(
    (stripe, options) => stripe.products.create({ id: product, name: tier.name, metadata }, options),
    `product-${tier.id}`,
  ).catch((error: unknown) => {
    if (refusalOf(error)?.code !== "resource_already_exists") throw error;
  });
  return createPrice(billing, communityId, tier, `price-${tier.id}`);
}

/** Creates a price for new members of a tier. Existing subscriptions keep their price. */
export async function createPrice(
  billing: Billing,
  communityId: number,
  tier: TierPrice,
  idempotencyKey: string,
): Promise<string> {
  const { id } = await billing(
    (stripe, options) =>
      stripe.prices.create(
        {
          product: productOf(tier.id),
          currency: "usd",
          unit_amount: Math.round(tier.monthly_price_dollars * 100),
          recurring: { interval: "month" },
          metadata: { tier_id: String(tier.id), community_id: String(communityId) },
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
export async function renameProduct(billing: Billing, { id, name }: Pick<TierPrice, "id" | "name">): Promise<void> {
  await billing((stripe, options) => stripe.products.update(productOf(id), { name }, options)).catch(
    (error: unknown) => {
      throw refusalOf(error) ? outcomeUnknown(error) : error;
    },
  );
}

/** The id of a tier's product. It is derived from the tier, so that a retry cannot create a second product. */
const productOf = (tierId: number): string => `odis_tier_${tierId}`;
