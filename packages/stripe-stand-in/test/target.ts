import Stripe from "stripe";
import { afterAll, expect, vi } from "vitest";
import { useLocalStripe } from "./local.ts";

/**
 * What the contract's tests need of a Stripe besides its API. They use what Stripe's test mode has as well, test cards
 * above all, so that they run against either: `npm run test:live`.
 */
export type Target = {
  readonly stripe: Stripe;
  /** A new customer, with one of Stripe's test cards as their default. */
  readonly customer: (card?: string, params?: Stripe.CustomerCreateParams) => Promise<Stripe.Customer>;
  /** Lets days pass for a customer. */
  readonly pass: (customer: Stripe.Customer, days: number) => Promise<void>;
};

/** The local Stripe; with `STRIPE_LIVE_TEST_KEY`, a key of test mode, Stripe itself. */
export function useTarget(): Target {
  const { STRIPE_LIVE_TEST_KEY } = process.env;
  if (STRIPE_LIVE_TEST_KEY) return useTestMode(STRIPE_LIVE_TEST_KEY);
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

/** Stripe's test mode: each customer has a test clock of their own, which takes all that is theirs along in the end. */
function useTestMode(key: string): Target {
  if (!/^[sr]k_test_/.test(key)) throw new Error("Only a key of test mode is used for tests");
  const stripe = new Stripe(key);
  const clocks = new Map<string, string>();
  afterAll(async () => {
    for (const clock of clocks.values()) await stripe.testHelpers.testClocks.del(clock);
  });
  return {
    stripe,
    async customer(card = "pm_card_visa", params = {}) {
      const frozen_time = Math.floor(Date.now() / 1000);
      const clock = await stripe.testHelpers.testClocks.create({ frozen_time });
      const customer = await stripe.customers.create({
        email: "ada@example.com",
        payment_method: card,
        invoice_settings: { default_payment_method: card },
        test_clock: clock.id,
        ...params,
      });
      clocks.set(customer.id, clock.id);
      return customer;
    },
    async pass({ id }, days) {
      const clock = there(clocks.get(id));
      const { frozen_time } = await stripe.testHelpers.testClocks.retrieve(clock);
      await stripe.testHelpers.testClocks.advance(clock, { frozen_time: frozen_time + days * 86_400 });
      await vi.waitFor(async () => expect((await stripe.testHelpers.testClocks.retrieve(clock)).status).toBe("ready"), {
        timeout: 120_000,
        interval: 2_000,
      });
    },
  };
}

export async function aPrice(stripe: Stripe, amount = 2_500, interval: "month" | "year" = "month"): Promise<string> {
  const { id } = await stripe.prices.create({
    currency: "usd",
    unit_amount: amount,
    recurring: { interval },
    product_data: { name: "Gold plan" },
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

/** Asserts that a value exists. */
export function there<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("It is not there");
  return value;
}

/** Checks again and again until the check passes, for so long that only a hang exceeds it on a busy machine. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 100_000 });

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
