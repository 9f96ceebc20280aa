import { afterEach, describe, expect, it, vi } from "vitest";
import { startStripe } from "../src/server.ts";
import { clientOf, start, useLocalStripe } from "./local.ts";
import { aPrice, refusal } from "./target.ts";

const local = useLocalStripe({ now: () => start });
afterEach(() => vi.unstubAllEnvs());

it("the stand-in does not start inside AWS Lambda", async () => {
  vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "a-function");
  await expect(startStripe()).rejects.toThrow("AWS Lambda");
});

it("the stand-in listens on loopback only, and its ids contain the word fake", async () => {
  expect(new URL(local.server.url).hostname).toBe("127.0.0.1");
  const customer = await local.stripe.customers.create({});
  expect(customer).toMatchObject({ id: expect.stringContaining("_fake"), livemode: false });
});

describe("a key", () => {
  const list = async (authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await fetch(`${local.server.url}/v1/events`, { headers });
    return response.status;
  };

  it.each(["Bearer sk_test_local", "Bearer sk_test_1", `Basic ${btoa("sk_test_local:")}`])(
    "the key is accepted: %s",
    async (key) => {
      expect(await list(key)).toBe(200);
    },
  );

  it.each([undefined, "Bearer sk_live_1", "Bearer rk_live_1", "Bearer test", `Basic ${btoa("sk_live_1:")}`])(
    "the key is refused: %s",
    async (key) => {
      expect(await list(key)).toBe(401);
    },
  );

  it("a refused key is an authentication error in the client", async () => {
    const live = clientOf(local.server.url, { key: "sk_live_1" });
    expect(await refusal(live.events.list())).toMatchObject({ type: "StripeAuthenticationError", status: 401 });
  });

  const refusalOf = (key: string) => refusal(clientOf(local.server.url, { key }).events.list());

  it("a key that was rolled is accepted until it expires, and then refused as Stripe does", async () => {
    const { key: old } = (await local.control("keys")) as { key: string };
    const { key: next } = (await local.control(`keys/${old}/roll`, { expires_in_hours: 24 })) as { key: string };
    expect([next.slice(0, 8), next === old]).toEqual(["sk_test_", false]);
    expect([await list(`Bearer ${old}`), await list(`Bearer ${next}`)]).toEqual([200, 200]);
    await local.control("advance", { days: 1 });
    expect([await list(`Bearer ${old}`), await list(`Bearer ${next}`)]).toEqual([401, 200]);
    expect(await refusalOf(old)).toMatchObject({
      type: "StripeAuthenticationError",
      status: 401,
      code: "api_key_expired",
      message: `Expired API Key provided: sk_test_${"*".repeat(old.length - 14)}${old.slice(-6)}`,
    });
  });

  it("a restricted key that is rolled without a time is revoked at once, and the next one has its permissions", async () => {
    const { key: old } = (await local.control("keys", { permissions: ["events:read"] })) as { key: string };
    const { key: next } = (await local.control(`keys/${old}/roll`)) as { key: string };
    expect([await list(`Bearer ${old}`), await list(`Bearer ${next}`)]).toEqual([401, 200]);
    const customers = clientOf(local.server.url, { key: next }).customers.list();
    expect(await refusal(customers)).toMatchObject({ status: 403 });
  });

  it("a restricted key reads its account only with a permission, and the refusal names the account", async () => {
    expect(await local.stripe.accounts.retrieveCurrent()).toMatchObject({ id: "acct_fake" });
    const { key } = (await local.control("keys", { permissions: ["events:read"] })) as { key: string };
    await expect(clientOf(local.server.url, { key }).accounts.retrieveCurrent()).rejects.toMatchObject({
      type: "StripePermissionError",
      message: expect.stringMatching(/on account 'acct_fake'.*'rak_accounts_kyc_basic_read'/),
    });
  });

  it("a restricted key that was never made is refused as an invalid one", async () => {
    expect(await refusalOf("rk_test_unknown123456")).toMatchObject({
      type: "StripeAuthenticationError",
      message: `Invalid API Key provided: rk_test_${"*".repeat(7)}123456`,
    });
  });
});

it("the stand-in supports one API version and refuses requests for another", async () => {
  const other = clientOf(local.server.url);
  expect(await refusal(other.rawRequest("GET", "/v1/events", undefined, { apiVersion: "2024-06-20" }))).toMatchObject({
    status: 400,
    message: expect.stringContaining("not 2024-06-20"),
  });
});

it("the stand-in refuses requests that it does not model", async () => {
  const { stripe } = local;
  const card = "pm_card_visa";
  const { id: customer } = await stripe.customers.create({
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
  const price = await aPrice(stripe);
  const subscription = await stripe.subscriptions.create({ customer, items: [{ price }] });
  const refusals = [
    stripe.subscriptions.update(subscription.id, { items: [{ price: await aPrice(stripe, 5_000) }] }),
    stripe.subscriptions.cancel(subscription.id, { prorate: true }),
    stripe.subscriptions.create({ customer, items: [{ price }, { price }] }),
    stripe.checkout.sessions.create({
      mode: "payment",
      line_items: [{ price, quantity: 1 }],
      success_url: "https://a.b/",
    }),
  ];
  for (const call of refusals)
    expect(await refusal(call)).toMatchObject({
      status: 400,
      message: expect.stringContaining("The local Stripe does not model"),
    });
});
