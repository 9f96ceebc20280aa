import { isDeepStrictEqual } from "node:util";
import type Stripe from "stripe";

/**
 * The features of the customer portal. Plans cannot be switched, because the portal would offer those of all communities.
 * Subscriptions cannot be paused, because a paused subscription grants no access and never ends.
 */
export const portalFeatures = () =>
  ({
    payment_method_update: { enabled: true },
    customer_update: { enabled: true, allowed_updates: ["address", "shipping"] },
    invoice_history: { enabled: true },
    subscription_cancel: { enabled: true, mode: "at_period_end" },
    subscription_pause: { enabled: false },
    subscription_update: { enabled: false },
  }) satisfies Stripe.BillingPortal.ConfigurationCreateParams.Features;

type Features = Stripe.BillingPortal.Configuration.Features;

/** Metadata that identifies the configuration of Odis in the Stripe account. */
const metadata = { made_by: "odis" };

export type PortalConfiguration = {
  readonly outcome: "created" | "unchanged" | "updated";
  readonly id: string;
};

type PortalApi = Pick<Stripe, "billingPortal">;

/** Creates the configuration of the customer portal, or updates it if it differs. */
export async function registerPortal(
  stripe: PortalApi,
  options: Stripe.RequestOptions = {},
): Promise<PortalConfiguration> {
  const { configurations } = stripe.billingPortal;
  const existing = await findPortal(stripe, options);
  const params = { features: portalFeatures(), metadata };
  if (!existing) return { outcome: "created", id: (await configurations.create(params, options)).id };
  if (existing.differences.length === 0) return { outcome: "unchanged", id: existing.id };
  return { outcome: "updated", id: (await configurations.update(existing.id, params, options)).id };
}

/** Finds the configuration of the customer portal and how it differs from `portalFeatures`. Undefined if there is none. */
export async function findPortal(
  stripe: PortalApi,
  options: Stripe.RequestOptions = {},
): Promise<{ readonly id: string; readonly differences: readonly string[] } | undefined> {
  const activeConfigurations = await stripe.billingPortal.configurations
    .list({ active: true, limit: 100 }, options)
    .autoPagingToArray({ limit: 1000 });
  const configuration = activeConfigurations.find((candidate) => candidate.metadata?.made_by === metadata.made_by);
  return configuration && { id: configuration.id, differences: differencesOf(configuration.features) };
}

function differencesOf(actual: Features): string[] {
  return Object.entries(portalFeatures()).flatMap(([name, expected]) => {
    const feature = new Map<string, unknown>(Object.entries(actual[name as keyof Features]));
    return Object.entries(expected)
      .filter(([key, value]) => !isSame(feature.get(key), value))
      .map(([key, value]) => `${name}.${key} is not ${String(value)}`);
  });
}

/** Compares lists without regard to order. */
const isSame = (actual: unknown, expected: unknown): boolean =>
  isDeepStrictEqual(new Set([actual].flat()), new Set([expected].flat()));
