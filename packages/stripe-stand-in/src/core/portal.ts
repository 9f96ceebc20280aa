import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as customers from "./customers.ts";
import { invalid, notFound } from "./failure.ts";
import { newest } from "./lists.ts";
import { find } from "./lookup.ts";
import { idOf, nulls } from "./objects/common.ts";
import { each, text, url } from "./parameters.ts";
import { endsAtOnce, forSession, isAllowed } from "./portal-configurations.ts";
import * as subscriptions from "./subscription-changes.ts";
import { isOver } from "./subscription-end.ts";

export const PortalSessionCreate = v.strictObject({
  customer: text,
  return_url: v.optional(url),
  configuration: v.optional(text),
});

export function create(
  account: Account,
  { customer, return_url: returnUrl, configuration }: v.InferOutput<typeof PortalSessionCreate>,
): Stripe.BillingPortal.Session {
  customers.named(account, customer);
  const { id: configurationId } = forSession(account, configuration);
  const id = account.newId("bps");
  const session: Stripe.BillingPortal.Session = {
    id,
    object: "billing_portal.session",
    configuration: configurationId,
    created: account.now(),
    customer,
    livemode: false,
    return_url: returnUrl ?? null,
    url: `${account.baseUrl}/_fake/portal/${id}`,
    ...nulls("customer_account flow locale on_behalf_of"),
  };
  account.put("billing_portal.session", session);
  return session;
}

/** An action in the portal. */
export const PortalAction = v.variant("action", [
  v.object({ action: v.picklist(["cancel", "keep"]), subscription: v.string() }),
  v.object({ action: v.literal("card"), card: v.picklist(["visa", "chargeCustomerFail"]) }),
  v.object({
    action: v.literal("ship_to"),
    ...each(v.optional(v.string(), ""), "name", "line1", "line2", "city", "state", "postal_code", "country"),
  }),
]);

/** Like in Stripe's portal, a cancellation at the end of the period sets `cancel_at` instead of `cancel_at_period_end`. */
export function act(account: Account, id: string, action: v.InferOutput<typeof PortalAction>): void {
  const { customer, configuration: configurationId } = find(account, "billing_portal.session", id);
  const configuration = find(account, "billing_portal.configuration", idOf(configurationId) ?? "");
  if (!isAllowed(configuration, action.action)) throw invalid("The configuration of the portal does not allow this.");
  if (action.action === "ship_to") {
    const { action: _, name, ...address } = action;
    customers.update(account, customer, { shipping: { name, address } });
    return;
  }
  if (action.action === "card") {
    changeCard(account, customer, `pm_card_${action.card}`);
    return;
  }
  const subscription = find(account, "subscription", action.subscription);
  if (subscription.customer !== customer) throw notFound("subscription", action.subscription);
  if (action.action === "cancel" && endsAtOnce(configuration)) subscriptions.cancel(account, subscription.id, {});
  else
    subscriptions.update(account, subscription.id, { cancel_at: action.action === "cancel" ? "min_period_end" : "" });
}

/** A new card of a customer. Subscriptions with a card of their own are not charged to it, unless that is set. */
function changeCard(account: Account, customer: string, name: string): void {
  const { id: card } = customers.attach(account, name, customer);
  customers.update(account, customer, { invoice_settings: { default_payment_method: card } });
  if (account.faults.portal_card === "customer") return;
  for (const { id } of liveSubscriptions(account, customer))
    subscriptions.update(account, id, { default_payment_method: card });
}

export const liveSubscriptions = (account: Account, customer: string): Stripe.Subscription[] =>
  newest(account, "subscription", (row) => row.customer === customer && !isOver(row));
