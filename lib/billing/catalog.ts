import type { Tier } from "../domain/tier.ts";
import { outcomeUnknown } from "../problem.ts";
import { type Billing, refusalOf } from "./stripe.ts";

type Priced = Pick<Tier, "id" | "name" | "monthly_price_dollars">;

/** Makes the Stripe product and price of a tier; both say which tier they are of. */
export async function makePrice(billing: Billing, communityId: number, tier: Priced): Promise<string> {
  const metadata = { tier_id: String(tier.id), community_id: String(communityId) };
  const product = productOf(tier.id);
  await billing(
    (stripe, options) => stripe.products.create({ id: product, name: tier.name, metadata }, options),
    `product-${tier.id}`,
  ).catch((error: unknown) => {
    if (refusalOf(error)?.code !== "resource_already_exists") throw error;
  });
  return makeAnotherPrice(billing, communityId, tier, `price-${tier.id}`);
}

/** Makes a new price of a tier, for new members only: a subscription keeps the price it was made with. */
export async function makeAnotherPrice(
  billing: Billing,
  communityId: number,
  tier: Priced,
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
 * Copies the name of a tier, which has been stored, to its product. Idempotent.
 *
 * @throws Problem `outcome_unknown` if Stripe refuses, because the name is stored
 */
export async function renameProduct(billing: Billing, { id, name }: Pick<Priced, "id" | "name">): Promise<void> {
  await billing((stripe, options) => stripe.products.update(productOf(id), { name }, options)).catch(
    (error: unknown) => {
      throw refusalOf(error) ? outcomeUnknown(error) : error;
    },
  );
}

/** A product chooses its own id, so that making it twice cannot leave two. */
const productOf = (tierId: number): string => `odis_tier_${tierId}`;
