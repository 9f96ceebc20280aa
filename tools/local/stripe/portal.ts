import type Stripe from "stripe";
import * as v from "valibot";
import * as customers from "./customers.ts";
import { notFound } from "./failure.ts";
import { newest } from "./lists.ts";
import { newId } from "./objects/common.ts";
import { text, url } from "./parameters.ts";
import * as subscriptions from "./subscription-changes.ts";
import { isOver } from "./subscription-end.ts";

import type { World } from "./world.ts";

export const PortalSessionCreate = v.strictObject({ customer: text, return_url: v.optional(url) });

export function create(
  world: World,
  { customer, return_url: returnUrl }: v.InferOutput<typeof PortalSessionCreate>,
): Stripe.BillingPortal.Session {
  customers.named(world, customer);
  const id = newId("bps");
  const session: Stripe.BillingPortal.Session = {
    id,
    object: "billing_portal.session",
    configuration: "bpc_fake",
    created: world.now(),
    customer,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: returnUrl ?? null,
    url: `${world.pages()}/_fake/portal/${id}`,
  };
  world.put("billing_portal.session", session);
  return session;
}

const field = v.optional(v.string(), "");

/** What somebody does in the portal. */
export const PortalAction = v.variant("action", [
  v.object({ action: v.picklist(["cancel", "keep"]), subscription: v.string() }),
  v.object({
    action: v.literal("ship_to"),
    name: field,
    line1: field,
    line2: field,
    city: field,
    state: field,
    postal_code: field,
    country: field,
  }),
]);

/** A cancellation is scheduled by its time, `cancel_at`, as the real portal does: `cancel_at_period_end` stays false. */
export function act(world: World, id: string, action: v.InferOutput<typeof PortalAction>): void {
  const { customer } = find(world, id);
  if (action.action === "ship_to") {
    const { action: _, name, ...address } = action;
    customers.update(world, customer, { shipping: { name, address } });
    return;
  }
  const subscription = subscriptions.find(world, action.subscription);
  if (subscription.customer !== customer) throw notFound("subscription", action.subscription);
  subscriptions.update(world, subscription.id, { cancel_at: action.action === "cancel" ? "min_period_end" : "" });
}

/** @throws ApiFailure 404 */
export function find(world: World, id: string): Stripe.BillingPortal.Session {
  const session = world.get("billing_portal.session", id);
  if (!session) throw notFound("billing_portal.session", id);
  return session;
}

export const liveSubscriptions = (world: World, customer: string): Stripe.Subscription[] =>
  newest(world, "subscription", (row) => row.customer === customer && !isOver(row));
