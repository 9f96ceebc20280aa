import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as catalog from "../src/core/catalog.ts";
import * as customers from "../src/core/customers.ts";
import * as subscriptions from "../src/core/subscriptions.ts";
import { type LocalStripe, startStripe } from "../src/server.ts";
import { clientOf, controlOf, start, startReceiver } from "./local.ts";
import { aPrice, idOf, refusal } from "./target.ts";

let folder: string;
const running = new Set<LocalStripe>();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stripe-stand-in-"));
});
afterEach(async () => {
  for (const server of running) await stop(server);
  await rm(folder, { recursive: true, force: true });
});

async function stop(server: LocalStripe): Promise<void> {
  running.delete(server);
  await server.close();
}

async function run(options: Parameters<typeof startStripe>[0] = {}) {
  const server = await startStripe({ stateDir: folder, now: () => start, ...options });
  running.add(server);
  return { server, stripe: clientOf(server.url), control: controlOf(server.url) };
}

describe("a stand-in with a folder", () => {
  it("a stand-in with a folder restores objects, time, keys and due actions at the next start", async () => {
    const first = await run();
    const card = "pm_card_visa";
    const { id: customer } = await first.stripe.customers.create({
      payment_method: card,
      invoice_settings: { default_payment_method: card },
    });
    const price = await aPrice(first.stripe);
    await first.stripe.subscriptions.create({ customer, items: [{ price }] }, { idempotencyKey: "sub" });
    await first.control("advance", { days: 10 });
    const before = await first.stripe.events.list({ limit: 100 });
    await stop(first.server);

    const second = await run();
    expect(await second.stripe.events.list({ limit: 100 })).toEqual(before);
    expect((await second.stripe.charges.list({ customer })).data).toHaveLength(1);
    await second.control("advance", { days: 0.5 });
    await second.control("advance", { days: 18 });
    expect((await second.stripe.charges.list({ customer })).data).toHaveLength(2);
  });

  it("a stand-in with a folder keeps acknowledged writes even if the process is killed", async () => {
    const first = await run();
    const { id } = await first.stripe.customers.create({ name: "Ada" });
    // A truncated line, as left by a process that was killed while writing.
    await appendFile(join(folder, "stripe.jsonl"), '[{"kind":"customer","id":"cus_torn","obj');
    const second = await run();
    expect(await second.stripe.customers.retrieve(id)).toMatchObject({ name: "Ada" });
    await second.stripe.customers.update(id, { name: "Grace" });
    const third = await run();
    expect(await third.stripe.customers.retrieve(id)).toMatchObject({ name: "Grace" });
    expect(await readFile(join(folder, "stripe.jsonl"), "utf8")).not.toContain("cus_torn");
  });

  it("a stand-in with a folder sends undelivered events after the next start, once it has an endpoint", async () => {
    const receiver = await startReceiver();
    const webhook = { url: receiver.url, secret: "whsec_test" };
    const first = await run({ webhook });
    await first.control("faults", { delay_ms: 60_000 });
    await first.stripe.customers.create({});
    await stop(first.server);
    expect(receiver.types()).toEqual([]);
    const second = await run();
    await second.server.settled();
    expect(receiver.types()).toEqual([]);
    await second.control("webhook", webhook);
    await second.server.settled();
    expect(receiver.types()).toEqual(["customer.created"]);
    receiver.close();
  });

  it("a reset empties the folder of a stand-in except for the endpoints", async () => {
    const { stripe, control } = await run({ webhook: { url: "http://127.0.0.1:9/", secret: "whsec_test" } });
    await stripe.customers.create({});
    await control("advance", { days: 3 });
    await control("reset");
    expect((await stripe.customers.list()).data).toEqual([]);
    expect(await control("advance", { days: 0 })).toEqual({ now: start / 1000 });
    expect((await stripe.webhookEndpoints.list()).data).toHaveLength(1);
  });
});

describe("many operations at once", () => {
  const card = "pm_card_visa";
  const ago = (days: number) => start / 1000 - days * 86_400;

  it("a stopped stand-in catches up on due actions at the next start, up to the current time", async () => {
    const { server, stripe } = await run();
    const customer = server.act(
      (account) => {
        const { id: price } = catalog.createPrice(account, {
          currency: "usd",
          unit_amount: 2_500,
          recurring: { interval: "month", interval_count: 1 },
          product_data: { name: "Gold plan" },
        });
        const { id } = customers.create(account, {
          payment_method: card,
          invoice_settings: { default_payment_method: card },
        });
        subscriptions.create(account, { customer: id, items: [{ price }] });
        return id;
      },
      { at: ago(85) },
    );
    const paid = await stripe.invoices.list({ customer, status: "paid" });
    expect(paid.data.map(({ created }) => Math.round((start / 1000 - created) / 86_400))).toEqual([24, 55, 85]);
  });

  it("concurrent operations are stored completely or not at all", async () => {
    const { server, stripe } = await run();
    expect(() =>
      server.act((account) => {
        customers.create(account, { name: "Ada" });
        catalog.updatePrice(account, "price_0", {});
      }),
    ).toThrow("No such price");
    expect((await stripe.customers.list()).data).toEqual([]);
    expect((await stripe.events.list()).data).toEqual([]);
  });

  it("operations that the API refuses halfway store nothing but the attempted payment", async () => {
    const { stripe } = await run();
    const { id: customer } = await stripe.customers.create({});
    const expand = ["latest_invoice.nothing"];
    const params: Stripe.SubscriptionCreateParams = { customer, items: [{ price: await aPrice(stripe) }] };
    expect(
      await refusal(stripe.subscriptions.create({ ...params, payment_behavior: "default_incomplete", expand })),
    ).toMatchObject({ status: 400 });
    expect((await stripe.subscriptions.list({ customer, status: "all" })).data).toEqual([]);

    const { latest_invoice: invoice } = await stripe.subscriptions.create({
      ...params,
      payment_behavior: "default_incomplete",
    });
    const bad = await stripe.paymentMethods.attach("pm_card_chargeCustomerFail", { customer });
    expect(await refusal(stripe.invoices.pay(idOf(invoice), { payment_method: bad.id }))).toMatchObject({
      status: 402,
    });
    expect((await stripe.charges.list({ customer })).data).toMatchObject([{ status: "failed" }]);
  });
});
