import type Stripe from "stripe";
import { expect } from "vitest";
import { useLocalStripe } from "./local.ts";

/**
 * What the contract's tests need of a Stripe besides its API. They use what Stripe's test mode has as well, test cards
 * above all, so that another target can be put here: a client with a test key, customers that are made under a test
 * clock of their own, and `pass` advancing that clock and waiting until it is ready.
 */
export type Target = {
  readonly stripe: Stripe;
  /** A new customer, with one of Stripe's test cards as their default. */
  readonly customer: (card?: string, params?: Stripe.CustomerCreateParams) => Promise<Stripe.Customer>;
  /** Lets days pass for a customer. */
  readonly pass: (customer: Stripe.Customer, days: number) => Promise<void>;
};

export function useTarget(): Target {
  const local = useLocalStripe();
  return {
    get stripe() {
      return local.stripe;
    },
    customer: (card = "pm_card_visa", params = {}) =>
      local.stripe.customers.create({
        email: "ada@example.com",
        payment_method: card,
        invoice_settings: { default_payment_method: card },
        ...params,
      }),
    pass: async (_customer, days) => void (await local.control("advance", { days })),
  };
}

export async function aPrice(stripe: Stripe, amount = 2_500, interval: "month" | "year" = "month"): Promise<string> {
  const { id } = await stripe.prices.create({
    currency: "usd",
    unit_amount: amount,
    recurring: { interval },
    product_data: { name: "Barrel Owner" },
  });
  return id;
}

type Subscribed = {
  readonly customer: Stripe.Customer;
  readonly subscription: Stripe.Subscription;
  /** What was paid first. */
  readonly charge: Stripe.Charge;
};

/** Somebody who has subscribed and paid. */
export async function aSubscriber({ stripe, customer: newCustomer }: Target, card?: string): Promise<Subscribed> {
  const customer = await newCustomer(card);
  const price = await aPrice(stripe);
  const subscription = await stripe.subscriptions.create({ customer: customer.id, items: [{ price }] });
  const [charge] = (await stripe.charges.list({ customer: customer.id })).data;
  return { customer, subscription, charge: there(charge) };
}

/** What must be there for the test to mean anything. */
export function there<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("It is not there");
  return value;
}

export const idOf = (reference: string | { id: string } | null | undefined): string =>
  typeof reference === "string" ? reference : there(reference).id;

/** The error that a call fails with, as far as the API says it. */
export async function refusal(call: Promise<unknown>): Promise<object> {
  const failure: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(Error);
  const { type, statusCode, code, param, message } = failure as Stripe.errors.StripeError;
  return { type, status: statusCode, code, param, message };
}

/** The types of the events about a customer and what is theirs, in the order in which they happened. */
export async function eventsOf(stripe: Stripe, customer: string): Promise<string[]> {
  const { data } = await stripe.events.list({ limit: 100 });
  const theirs = data.filter(({ data: { object } }) => {
    return ("id" in object && object.id === customer) || ("customer" in object && object.customer === customer);
  });
  return theirs.map(({ type }) => type).toReversed();
}
