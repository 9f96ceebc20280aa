import Stripe from "stripe";
import { afterAll, expect, vi } from "vitest";
import { useLocalStripe } from "./local.ts";

/**
 * What the contract tests need besides Stripe's API. The tests use only features of Stripe's test mode, such as test
 * cards, so that they can run against the stand-in or against Stripe (`npm run test:live`).
 */
export type Target = {
  readonly stripe: Stripe;
  /** Creates a customer. Their default payment method is one of Stripe's test cards. */
  readonly customer: (card?: string, params?: Stripe.CustomerCreateParams) => Promise<Stripe.Customer>;
  /** Advances the customer's clock by a number of days. */
  readonly pass: (customer: Stripe.Customer, days: number) => Promise<void>;
};

/** Returns the local stand-in. If `STRIPE_LIVE_TEST_KEY` is set to a test-mode key, returns Stripe's test mode. */
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

/**
 * Uses Stripe's test mode. Each customer has their own test clock. Deleting the clock also deletes the customer's
 * objects.
 */
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
  /** The charge of the first payment. */
  readonly charge: Stripe.Charge;
};

/** Creates a customer with a paid subscription. */
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

/** Repeats a check until it passes. The timeout is long enough for a busy machine, so that only a hang exceeds it. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 100_000 });

export const idOf = (reference: string | { id: string } | null | undefined): string =>
  typeof reference === "string" ? reference : there(reference).id;

/** Returns the properties of the error that a call fails with. */
export async function refusal(call: Promise<unknown>): Promise<object> {
  const failure: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(Error);
  const { type, statusCode, code, param, message } = failure as Stripe.errors.StripeError;
  return { type, status: statusCode, code, param, message };
}

/** Returns the types of the events about a customer and the customer's objects, oldest first. */
export async function eventsOf(stripe: Stripe, customer: string): Promise<string[]> {
  const { data } = await stripe.events.list({ limit: 100 });
  const theirs = data.filter(({ data: { object } }) => {
    return ("id" in object && object.id === customer) || ("customer" in object && object.customer === customer);
  });
  return theirs.map(({ type }) => type).toReversed();
}
