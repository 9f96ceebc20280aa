import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as events from "./events.ts";
import { invalid, noSuch, notFound } from "./failure.ts";
import { idOf, type Reference } from "./objects/common.ts";
import { cardObject, customerObject, type TestCard, testCards } from "./objects/customer.ts";
import { clearable, each, merged, metadata, text } from "./parameters.ts";

const optional = v.optional(v.string());
const Address = v.strictObject(each(optional, "city", "country", "line1", "line2", "postal_code", "state"));
const Shipping = v.strictObject({ address: Address, name: text, phone: optional });
type Shipping = v.InferOutput<typeof Shipping>;

const Name = v.pipe(
  v.string(),
  v.maxLength(
    256,
    ({ input }) => `Invalid string: ${input.slice(0, 10)}...${input.slice(-10)}; must be at most 256 characters`,
  ),
);
const Email = v.pipe(
  v.string(),
  v.regex(/^$|^[^\s@]+@[^\s@]+\.[^\s@.]+$/, ({ input }) => `Invalid email address: ${input}`),
);

const changeable = {
  ...each(optional, "phone", "description"),
  email: v.optional(Email),
  name: v.optional(Name),
  address: v.optional(v.union([Address, v.literal("")])),
  shipping: v.optional(v.union([Shipping, v.literal("")])),
  metadata: v.optional(metadata),
  invoice_settings: v.optional(v.strictObject({ default_payment_method: v.optional(clearable) })),
};

export const CustomerCreate = v.strictObject({ ...changeable, payment_method: v.optional(text) });
export const CustomerUpdate = v.strictObject(changeable);
export const CardAttach = v.strictObject({ customer: text });

type Create = v.InferOutput<typeof CustomerCreate>;
type Update = v.InferOutput<typeof CustomerUpdate>;

export function create(account: Account, { payment_method: id, ...params }: Create): Stripe.Customer {
  const fresh = customerObject({ id: account.newId("cus"), created: account.now() });
  const customer = changed(fresh, params);
  account.put("customer", customer);
  const card = id && attach(account, id, customer.id);
  const chosen = params.invoice_settings?.default_payment_method;
  const created = card && chosen ? withDefaultCard(customer, ownCard(account, customer.id, chosen)) : customer;
  events.create(account, "customer", created, "customer.created");
  return created;
}

export function update(account: Account, id: string, params: Update): Stripe.Customer {
  const updated = changed(find(account, id), params);
  const card = params.invoice_settings?.default_payment_method;
  const customer = card === undefined ? updated : withDefaultCard(updated, card && ownCard(account, id, card));
  events.replace(account, "customer", customer, "customer.updated");
  return customer;
}

/** Applies the parameters that do not depend on other objects of the account. */
function changed(customer: Stripe.Customer, params: Update): Stripe.Customer {
  const { address, shipping, metadata: labels, invoice_settings: _, ...rest } = params;
  return {
    ...customer,
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, value || null])),
    ...(address !== undefined && { address: address ? addressOf(address) : null }),
    ...(shipping !== undefined && { shipping: shipping ? shippingOf(shipping) : null }),
    metadata: merged(customer.metadata, labels),
  };
}

/** @throws ApiFailure 404 if the customer does not exist or is deleted */
export function find(account: Account, id: string): Stripe.Customer {
  const customer = account.get("customer", id);
  if (!customer || customer.deleted) throw notFound("customer", id);
  return customer;
}

export const isDeleted = (account: Account, { customer }: { readonly customer: Reference }): boolean =>
  account.get("customer", idOf(customer) ?? "")?.deleted === true;

/** @throws ApiFailure 404 if the customer is deleted */
export const ownerOf = (account: Account, { customer }: { readonly customer: Reference }): Stripe.Customer =>
  find(account, idOf(customer) ?? "");

/** @throws ApiFailure 400 if the customer in a parameter does not exist or is deleted */
export function named(account: Account, id: string, param = "customer"): Stripe.Customer {
  const customer = account.get("customer", id);
  if (!customer || customer.deleted) throw noSuch("customer", id, param);
  return customer;
}

/** Attaches a card: a new one by the name of a test card, `pm_card_visa`, or an existing card of the customer. */
export function attach(account: Account, id: string, customer: string): Stripe.PaymentMethod {
  const existing = account.get("payment_method", id);
  if (existing?.customer === customer) return existing;
  if (existing) throw invalid("The payment method you provided has already been attached to a customer.");
  const name = id.replace(/^pm_card_/, "");
  if (!isTestCard(name)) throw noSuch("PaymentMethod", id, "payment_method");

  const card = cardObject({ id: account.newId("pm"), card: name, customer, created: account.now() });
  account.put("card", { id: card.id, behaviour: name });
  events.create(account, "payment_method", card, "payment_method.attached");
  return card;
}

/** The id of a customer's card, given its id or the name of the test card that it was made from. */
export function ownCard(account: Account, customer: string, id: string): string {
  const own = [...account.rows("payment_method")].filter((card) => card.customer === customer);
  const behaviour = id.replace(/^pm_card_/, "");
  const card = own.findLast((candidate) => {
    return candidate.id === id || account.get("card", candidate.id)?.behaviour === behaviour;
  });
  if (card) return card.id;
  if (!isTestCard(behaviour) && !account.get("payment_method", id)) throw noSuch("PaymentMethod", id, "payment_method");
  throw invalid(
    `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
    { param: "default_payment_method" },
  );
}

/** The card for subscriptions without their own card. */
export const defaultCard = ({ invoice_settings: settings }: Stripe.Customer): string | null =>
  idOf(settings.default_payment_method);

const withDefaultCard = (customer: Stripe.Customer, card: string | null): Stripe.Customer => ({
  ...customer,
  invoice_settings: { ...customer.invoice_settings, default_payment_method: card },
});

const isTestCard = (name: string): name is TestCard => Object.hasOwn(testCards, name);

type Filled = { readonly [K in keyof v.InferOutput<typeof Address>]: string | null | undefined };

/** The stored form of an address, with null for missing and empty fields. */
export const addressOf = (address: Filled): Stripe.Address => ({
  city: address.city || null,
  country: address.country || null,
  line1: address.line1 || null,
  line2: address.line2 || null,
  postal_code: address.postal_code || null,
  state: address.state || null,
});

const shippingOf = ({ address, name, phone }: Shipping): Stripe.Customer.Shipping => ({
  address: addressOf(address),
  carrier: null,
  name,
  phone: phone || null,
  tracking_number: null,
});
