import { isDeepStrictEqual } from "node:util";
import type Stripe from "stripe";

/**
 * What people may do in the portal. They cannot switch plans: its products are those of all communities. They cannot
 * pause: a paused subscription has no access, and no end.
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

/** Which configuration of an account is ours. */
const metadata = { made_by: "odis" };

export type PortalConfiguration = {
  readonly outcome: "made" | "there" | "mended";
  readonly id: string;
};

type PortalApi = Pick<Stripe, "billingPortal">;

/** Creates our configuration of the customer portal, or corrects it. */
export async function registerPortal(
  stripe: PortalApi,
  options: Stripe.RequestOptions = {},
): Promise<PortalConfiguration> {
  const { configurations } = stripe.billingPortal;
  const found = await findPortal(stripe, options);
  const params = { features: portalFeatures(), metadata };
  if (!found) return { outcome: "made", id: (await configurations.create(params, options)).id };
  if (found.wrong.length === 0) return { outcome: "there", id: found.id };
  return { outcome: "mended", id: (await configurations.update(found.id, params, options)).id };
}

/** Returns our configuration of the customer portal and what is wrong with it. Undefined if there is none. */
export async function findPortal(
  stripe: PortalApi,
  options: Stripe.RequestOptions = {},
): Promise<{ readonly id: string; readonly wrong: readonly string[] } | undefined> {
  const all = await stripe.billingPortal.configurations
    .list({ active: true, limit: 100 }, options)
    .autoPagingToArray({ limit: 1000 });
  const ours = all.find((configuration) => configuration.metadata?.made_by === metadata.made_by);
  return ours && { id: ours.id, wrong: differences(ours.features) };
}

function differences(actual: Features): string[] {
  return Object.entries(portalFeatures()).flatMap(([name, wanted]) => {
    const feature = new Map<string, unknown>(Object.entries(actual[name as keyof Features]));
    return Object.entries(wanted)
      .filter(([key, value]) => !isSame(feature.get(key), value))
      .map(([key, value]) => `${name}.${key} is not ${String(value)}`);
  });
}

/** Lists have no order. */
const isSame = (actual: unknown, wanted: unknown): boolean =>
  isDeepStrictEqual(new Set([actual].flat()), new Set([wanted].flat()));
