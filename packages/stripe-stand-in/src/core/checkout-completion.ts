import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { pursue } from "./collection.ts";
import * as customers from "./customers.ts";
import * as events from "./events.ts";
import { cardDeclined, invalid } from "./failure.ts";
import { isTriggered } from "./faults.ts";
import { find } from "./lookup.ts";
import { idOf, nulls } from "./objects/common.ts";
import { customerObject } from "./objects/customer.ts";
import { each } from "./parameters.ts";
import type { Order } from "./state.ts";
import { begin } from "./subscription-start.ts";

const addressFields = {
  ...each(v.optional(v.nullable(v.string())), "line1", "line2", "city", "state", "postal_code"),
  country: v.string(),
};
const Address = v.strictObject(addressFields);

/** What a person enters on the hosted page. */
export const Completion = v.strictObject({
  email: v.optional(v.string()),
  name: v.optional(v.string()),
  /** With a nested address, like Stripe, or as one object. */
  shipping: v.optional(
    v.union([
      v.strictObject({ name: v.optional(v.string()), address: Address }),
      v.pipe(
        v.strictObject({ name: v.optional(v.string()), ...addressFields }),
        v.transform(({ name, ...rest }) => ({ name, address: rest })),
      ),
    ]),
  ),
  /** The card is declined, and the session stays open. */
  decline: v.optional(v.boolean(), false),
});
export type Completion = v.InferOutput<typeof Completion>;

/**
 * Completes a session on the hosted page, which starts the subscription.
 *
 * @throws ApiFailure if the session is not open or an address is missing; 402 if the card is declined
 */
export function complete(account: Account, id: string, given: Completion): Stripe.Checkout.Session {
  const session = find(account, "checkout.session", id);
  const order = account.get("order", id);
  if (session.status !== "open" || !order) throw invalid(`This Checkout Session is ${session.status}.`);
  const shipping = shippingOf(session, given);
  const isTrial = order.trialDays !== null;
  const isRefused = given.decline || (isTrial && isTriggered(account.faults, "decline"));
  // A trial starts without a charge, so that a declined card changes nothing.
  if (isTrial && isRefused) throw invalid("Your card was declined.", { code: "card_declined" }, 402);

  const customer = payer(account, session, order, { ...given, shipping });
  const asksForCard = session.payment_method_collection === "always" || session.amount_total !== 0;
  const subscription = paidFor(account, { order, customer, isRefused, asksForCard });
  const completed: Stripe.Checkout.Session = {
    ...session,
    status: "complete",
    payment_status: isTrial ? "no_payment_required" : isSettled(account, subscription) ? "paid" : "unpaid",
    customer: customer.id,
    subscription: subscription.id,
    invoice: idOf(subscription.latest_invoice),
    url: null,
    customer_details: {
      ...nulls("address business_name individual_name"),
      email: customer.email,
      name: customer.name ?? null,
      phone: customer.phone ?? null,
      tax_exempt: "none",
      tax_ids: [],
    },
    collected_information: { business_name: null, individual_name: null, shipping_details: shipping },
  };
  account.put("checkout.session", completed);
  events.emit(account, "checkout.session.completed", completed);
  return completed;
}

const isSettled = (account: Account, { latest_invoice }: Stripe.Subscription) =>
  account.get("invoice", latest_invoice)?.status === "paid";

type ShippingDetails = Stripe.Checkout.Session.CollectedInformation.ShippingDetails;

function shippingOf({ shipping_address_collection: asked }: Stripe.Checkout.Session, given: Completion) {
  if (!asked) return null;
  if (!given.shipping) throw invalid("A shipping address is required.", { param: "shipping" });
  const { address, name } = given.shipping;
  if (!asked.allowed_countries.some((country) => country === address.country))
    throw invalid(`Nothing is shipped to ${address.country}.`, { param: "shipping[address][country]" });
  return { address: customers.addressOf(address), name: name ?? given.name ?? "" } satisfies ShippingDetails;
}

type Filled = { readonly email?: string; readonly name?: string; readonly shipping: ShippingDetails | null };

/** The session's customer, with the new address if the session saves it, or a new customer. */
function payer(account: Account, session: Stripe.Checkout.Session, order: Order, filled: Filled): Stripe.Customer {
  const { email, name, shipping } = filled;
  if (session.customer === null) {
    const customer = customerObject({
      id: account.newId("cus"),
      created: account.now(),
      email: email ?? session.customer_email,
      name: name ?? null,
    });
    events.create(account, "customer", customer, "customer.created");
    // The next attempt of the session uses the same customer.
    account.put("checkout.session", { ...session, customer: customer.id });
    return customer;
  }
  const customer = customers.named(account, idOf(session.customer) ?? "");
  const kept: Stripe.Customer = {
    ...customer,
    ...(order.savesName && name && { name }),
    ...(order.savesShipping &&
      shipping && { shipping: { ...shipping, carrier: null, phone: null, tracking_number: null } }),
  };
  events.replace(account, "customer", kept, "customer.updated");
  return kept;
}

type Purchase = {
  readonly order: Order;
  readonly customer: Stripe.Customer;
  readonly isRefused: boolean;
  readonly asksForCard: boolean;
};

/** The paid subscription: the one of an earlier, declined attempt, or a new one. */
function paidFor(account: Account, { order, customer, isRefused, asksForCard }: Purchase): Stripe.Subscription {
  const name = isRefused ? "pm_card_chargeCustomerFail" : "pm_card_visa";
  const card = asksForCard ? customers.attach(account, name, customer.id).id : null;
  const earlier = account.get("subscription", order.subscription);
  const waiting = earlier?.status === "incomplete" ? earlier : undefined;
  if (waiting) {
    account.put("subscription", { ...waiting, default_payment_method: card });
    const invoice = account.get("invoice", waiting.latest_invoice);
    if (invoice?.status === "open") pursue(account, invoice, { isManual: true });
  }
  const price = account.get("price", order.price);
  if (!price?.recurring) throw new Error(`Session ${order.id} sells nothing`);
  const subscription =
    (waiting && account.get("subscription", waiting.id)) ??
    begin(account, {
      customer: customer.id,
      price,
      interval: price.recurring,
      quantity: order.quantity,
      trialDays: order.trialDays,
      card,
      description: order.description,
      metadata: order.metadata,
      announced: "before_payment",
      isPaidNow: true,
    });
  if (subscription.status !== "incomplete") return subscription;
  account.put("order", { ...order, subscription: subscription.id });
  throw cardDeclined(lastCharge(account, customer.id));
}

function lastCharge(account: Account, customer: string): Stripe.Charge {
  const charge = [...account.rows("charge")].findLast((row) => row.customer === customer);
  if (!charge) throw new Error(`Customer ${customer} was never charged`);
  return charge;
}
