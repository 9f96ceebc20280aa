import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as catalog from "./catalog.ts";
import * as customers from "./customers.ts";
import * as events from "./events.ts";
import { invalid, notModelled } from "./failure.ts";
import { find } from "./lookup.ts";
import { minimumCharge } from "./minimum-charge.ts";
import { money } from "./money.ts";
import { checkoutSessionObject } from "./objects/checkout-session.ts";
import { flag, integer, merged, metadata, text, timestamp, url } from "./parameters.ts";
import { day } from "./periods.ts";

/** Countries that Checkout does not ship to. */
const unsupported = "AS CX CC CU HM IR KP MH FM NF MP PW SD SY UM VI".split(" ");

const update = v.optional(v.picklist(["auto", "never"]));

export const SessionCreate = v.strictObject({
  mode: v.picklist(["subscription", "payment", "setup"]),
  line_items: catalog.Items,
  success_url: url,
  cancel_url: v.optional(url),
  customer: v.optional(text),
  customer_email: v.optional(text),
  customer_update: v.optional(v.strictObject({ address: update, name: update, shipping: update })),
  client_reference_id: v.optional(v.pipe(text, v.maxLength(200))),
  metadata: v.optional(metadata),
  subscription_data: v.optional(
    v.strictObject({
      description: v.optional(text),
      metadata: v.optional(metadata),
      trial_period_days: v.optional(integer({ min: 1, max: 730 })),
    }),
  ),
  payment_method_collection: v.optional(v.picklist(["always", "if_required"]), "always"),
  // By default, the setting of the dashboard, which is on here.
  adaptive_pricing: v.optional(v.strictObject({ enabled: flag }), { enabled: true }),
  shipping_address_collection: v.optional(v.strictObject({ allowed_countries: v.array(text) })),
  expires_at: v.optional(timestamp),
});

type Create = v.InferOutput<typeof SessionCreate>;

export function create(account: Account, params: Create): Stripe.Checkout.Session {
  if (params.mode !== "subscription") throw notModelled(`Checkout in ${params.mode} mode`, "mode");
  const { price, quantity } = catalog.onlyItem(account, params.line_items, "line_items");
  const total = params.subscription_data?.trial_period_days ? 0 : (price.unit_amount ?? 0) * quantity;
  if (total > 0 && total < minimumCharge) {
    const minimum = `${money(minimumCharge, price.currency)} ${price.currency}`;
    const words = `The Checkout Session's total amount due must add up to at least ${minimum}`;
    throw invalid(words, { code: "amount_too_small" });
  }
  const customer = customerOf(account, params);
  const countries = params.shipping_address_collection?.allowed_countries;
  const refused = countries?.find((country) => !/^[A-Z]{2}$/.test(country) || unsupported.includes(country));
  if (refused !== undefined) {
    const param = `shipping_address_collection[allowed_countries][${countries?.indexOf(refused)}]`;
    throw invalid(`Invalid ${param}: ${refused} is not a country that Checkout ships to.`, { param });
  }

  const { trial_period_days: trialDays = null, ...data } = params.subscription_data ?? {};
  const session = checkoutSessionObject({
    id: account.newId("cs_test"),
    created: account.now(),
    expires_at: expiry(account, params.expires_at),
    price,
    quantity,
    isTrial: trialDays !== null,
    baseUrl: account.baseUrl,
    success_url: params.success_url,
    cancel_url: params.cancel_url ?? null,
    payment_method_collection: params.payment_method_collection,
    adaptive_pricing: params.adaptive_pricing,
    customer: customer?.id ?? null,
    customer_email: params.customer_email ?? null,
    client_reference_id: params.client_reference_id ?? null,
    metadata: merged(null, params.metadata),
    shipping_address_collection: countries ? { allowed_countries: countries } : null,
  });
  account.put("checkout.session", session);
  account.put("order", {
    id: session.id,
    price: price.id,
    quantity,
    trialDays,
    description: data.description ?? null,
    metadata: merged(null, data.metadata),
    savesShipping: params.customer_update?.shipping === "auto",
    savesName: params.customer_update?.name === "auto",
    subscription: null,
  });
  schedule(account, session.expires_at, { do: "expire_session", session: session.id });
  return session;
}

function customerOf(account: Account, params: Create): Stripe.Customer | null {
  if (params.customer !== undefined && params.customer_email !== undefined)
    throw invalid("You may only specify one of these parameters: customer, customer_email.");
  if (params.customer !== undefined) return customers.named(account, params.customer);
  if (params.customer_update)
    throw invalid("`customer_update` can only be used with `customer`.", { param: "customer_update" });
  return null;
}

function expiry(account: Account, wanted: number | undefined): number {
  const now = account.now();
  if (wanted === undefined) return now + day;
  if (wanted < now + 1800 || wanted > now + day) {
    const words =
      "The `expires_at` timestamp must be at least 30 minutes and less than 24 hours from Checkout Session creation.";
    throw invalid(words, { param: "expires_at" });
  }
  return wanted;
}

/** `POST /v1/checkout/sessions/:id/expire` */
export function expire(account: Account, id: string): Stripe.Checkout.Session {
  const session = find(account, "checkout.session", id);
  if (session.status !== "open") {
    throw invalid(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    );
  }
  const expired: Stripe.Checkout.Session = { ...session, status: "expired", url: null, expires_at: account.now() };
  account.put("checkout.session", expired);
  events.emit(account, "checkout.session.expired", expired);
  return expired;
}

/** Expires a session that is due, unless it was completed. */
export function expireIfOpen(account: Account, id: string): void {
  if (account.get("checkout.session", id)?.status === "open") expire(account, id);
}
