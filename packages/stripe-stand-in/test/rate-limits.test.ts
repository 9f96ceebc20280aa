import Stripe from "stripe";
import { afterEach, expect, it } from "vitest";
import { start, useLocalStripe } from "./local.ts";
import { membersOf } from "./members.ts";
import { refusal } from "./target.ts";

const local = useLocalStripe({ now: () => start });
afterEach(() => local.control("reset"));
const { subscribe, change } = membersOf(local);

const always = { proration_behavior: "always_invoice" } as const;
const limited = { type: "StripeRateLimitError", status: 429, code: "rate_limit" };

it("a subscription has at most 10 new invoices a minute, and 20 a day", async () => {
  const member = await subscribe(1_000);
  for (let n = 1; n < 10; n++) await change(member, 1_000 + n * 1_000, always);
  const refused = change(member, 1_000, always);
  const failure = await refused.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Stripe.errors.StripeRateLimitError);
  expect((failure as Stripe.errors.StripeError).headers?.["stripe-rate-limited-reason"]).toBe("resource-specific");
  expect(await change(member, 500, { proration_behavior: "none" })).toMatchObject({ status: "active" });

  await local.control("advance", { days: 61 / 86_400 });
  for (let n = 1; n <= 10; n++) await change(member, 20_000 + n * 1_000, always);
  await local.control("advance", { days: 0.5 });
  expect(await refusal(change(member, 1_000, always))).toMatchObject(limited);
  await local.control("advance", { days: 0.5 });
  expect(await change(member, 1_000, always)).toMatchObject({ status: "active" });
});

it("with the setting invoice_limits, any number of invoices is allowed", async () => {
  await local.control("faults", { invoice_limits: "off" });
  const member = await subscribe(1_000);
  for (let n = 1; n <= 21; n++) await change(member, 1_000 + n * 1_000, always);
  const { data } = await local.stripe.invoices.list({ subscription: member.id, limit: 100 });
  expect(data).toHaveLength(22);
});

it("with the setting endpoint_limit, more calls to an endpoint in a second are refused", async () => {
  await local.control("faults", { endpoint_limit: 2 });
  const list = () => local.stripe.customers.list();
  await Promise.all([list(), list(), local.stripe.products.list()]);
  expect(await refusal(list())).toMatchObject(limited);
  await local.control("advance", { days: 1 / 86_400 });
  await list();
});

it("a call that was limited can be repeated with its idempotency key", async () => {
  await local.control("faults", { endpoint_limit: 1 });
  const create = (name: string) => local.stripe.products.create({ name }, { idempotencyKey: name });
  await create("Silver");
  expect(await refusal(create("Gold"))).toMatchObject(limited);
  await local.control("faults", { endpoint_limit: 0 });
  expect(await create("Gold")).toMatchObject({ name: "Gold" });
});
