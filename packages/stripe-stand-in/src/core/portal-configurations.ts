import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { invalid } from "./failure.ts";
import { page, paging } from "./lists.ts";
import { find } from "./lookup.ts";
import { clearable, flag, merged, metadata } from "./parameters.ts";

type Configuration = Stripe.BillingPortal.Configuration;
type Features = Configuration["features"];

const enabled = { enabled: flag };
const features = v.strictObject({
  customer_update: v.optional(
    v.strictObject({
      ...enabled,
      allowed_updates: v.optional(v.array(v.picklist(["address", "email", "name", "phone", "shipping", "tax_id"]))),
    }),
  ),
  invoice_history: v.optional(v.strictObject(enabled)),
  payment_method_update: v.optional(v.strictObject(enabled)),
  subscription_cancel: v.optional(
    v.strictObject({ ...enabled, mode: v.optional(v.picklist(["at_period_end", "immediately"])) }),
  ),
  subscription_pause: v.optional(v.strictObject(enabled)),
  subscription_update: v.optional(v.strictObject(enabled)),
});
const changeable = { name: v.optional(clearable), metadata: v.optional(metadata) };

export const ConfigurationCreate = v.strictObject({ ...changeable, features });
export const ConfigurationUpdate = v.strictObject({
  ...changeable,
  active: v.optional(flag),
  features: v.optional(features),
});
export const ConfigurationList = v.strictObject({
  ...paging,
  active: v.optional(flag),
  is_default: v.optional(flag),
});

const noFeatures: Features = {
  customer_update: { allowed_updates: [], enabled: false },
  invoice_history: { enabled: false },
  payment_method_update: { enabled: false, payment_method_configuration: null },
  subscription_cancel: {
    cancellation_reason: { enabled: false, feedback_options: [], options: [] },
    enabled: false,
    mode: "at_period_end",
    proration_behavior: "none",
  },
  subscription_pause: { enabled: false, duration: { interval_options: [], type: "indefinite" } },
  subscription_update: {
    billing_cycle_anchor: null,
    default_allowed_updates: [],
    enabled: false,
    proration_behavior: "none",
    schedule_at_period_end: { conditions: [] },
    trial_update_behavior: "continue_trial",
  },
};

/** @param id the id of a configuration that is not created through the API */
export function create(
  account: Account,
  params: v.InferOutput<typeof ConfigurationCreate>,
  id = account.newId("bpc"),
): Configuration {
  const configuration: Configuration = {
    id,
    object: "billing_portal.configuration",
    active: true,
    application: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    created: account.now(),
    default_return_url: null,
    features: changed(noFeatures, params.features),
    is_default: false,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: merged(null, params.metadata),
    name: params.name ?? null,
    updated: account.now(),
  };
  account.put("billing_portal.configuration", configuration);
  return configuration;
}

export function update(account: Account, id: string, params: v.InferOutput<typeof ConfigurationUpdate>): Configuration {
  const before = find(account, "billing_portal.configuration", id);
  const configuration: Configuration = {
    ...before,
    ...(params.active !== undefined && { active: params.active }),
    ...(params.name !== undefined && { name: params.name }),
    features: changed(before.features, params.features),
    metadata: merged(before.metadata, params.metadata),
    updated: account.now(),
  };
  account.put("billing_portal.configuration", configuration);
  return configuration;
}

const changed = (before: Features, given: v.InferOutput<typeof features> = {}): Features =>
  Object.fromEntries(
    Object.entries(before).map(([name, feature]) => [
      name,
      { ...feature, ...(given as Readonly<Record<string, object | undefined>>)[name] },
    ]),
  ) as unknown as Features;

export const list = (account: Account, params: v.InferOutput<typeof ConfigurationList>) =>
  page(account, {
    kind: "billing_portal.configuration",
    url: "/v1/billing_portal/configurations",
    params,
    keep: ({ active, is_default }) =>
      (params.active === undefined || params.active === active) &&
      (params.is_default === undefined || params.is_default === is_default),
  });

/**
 * The configuration of a new session. There is no default configuration, which only the dashboard creates.
 *
 * @throws ApiFailure without an id, or if the configuration is not active
 */
export function forSession(account: Account, id: string | undefined): Configuration {
  if (id === undefined)
    throw invalid(
      "No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.",
    );
  const configuration = find(account, "billing_portal.configuration", id, "configuration");
  if (!configuration.active) throw invalid(`The configuration ${id} is not active.`, { param: "configuration" });
  return configuration;
}

/** Whether a cancellation in the portal takes effect immediately instead of at the end of the period. */
export const endsAtOnce = ({ features: given }: Configuration): boolean =>
  given.subscription_cancel.mode === "immediately";

type PortalFeature = "cancel" | "keep" | "ship_to" | "card" | "invoices";

export function isAllowed({ features: given }: Configuration, feature: PortalFeature): boolean {
  switch (feature) {
    case "ship_to":
      return given.customer_update.enabled && given.customer_update.allowed_updates.includes("shipping");
    case "card":
      return given.payment_method_update.enabled;
    case "invoices":
      return given.invoice_history.enabled;
    case "cancel":
    case "keep":
      return given.subscription_cancel.enabled;
  }
}
