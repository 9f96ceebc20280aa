import Stripe from "stripe";
import { expect, it } from "vitest";
import { createSeededStripe, webhook } from "./core.ts";
import { aPrice, idOf, there } from "./target.ts";

type SeededStripe = ReturnType<typeof createSeededStripe>;

const day = 86_400;

async function aSubscription({ client }: SeededStripe) {
  const card = "pm_card_visa";
  const { id: customer } = await client.customers.create({
    email: "ada@example.com",
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
  return client.subscriptions.create({ customer, items: [{ price: await aPrice(client) }] });
}

/** Returns the transcript of one run that uses ids, time, ordering and randomness. */
async function history(seed: number): Promise<readonly string[]> {
  const stripe = createSeededStripe(seed);
  const { client, control, settled, clock } = stripe;
  stripe.sendEventsTo(webhook);
  stripe.deliveryStatuses.push(500, 503);
  const subscription = await aSubscription(stripe);
  await settled();

  await control("faults", { shuffle: true, duplicate: true, drop: 1, delay_ms: 20, latency_ms: 300 });
  const [charge] = (await clock.until(client.charges.list({ customer: idOf(subscription.customer) }))).data;
  const refund = { charge: there(charge).id, amount: 100 };
  await clock.until(client.refunds.create(refund, { idempotencyKey: "refund" }));
  await clock.until(client.refunds.create(refund, { idempotencyKey: "refund" }));
  await settled();

  await control("faults", { latency_ms: 0, decline: 1 });
  await control("advance", { days: 70 });
  await control("deliver", { dropped: true });
  const session = await client.checkout.sessions.create({
    mode: "subscription",
    line_items: [{ price: await aPrice(client), quantity: 1 }],
    success_url: "https://example.com/",
  });
  const page = new URL(there(session.url)).pathname;
  await stripe.answer({ method: "GET", path: page, headers: {}, body: "" });
  await control(`checkout/${session.id}/complete`);
  await client.events.list({ limit: 100 });
  await settled();
  return stripe.transcript;
}

it("two runs with the same seed are identical byte for byte, and a run with another seed differs", async () => {
  const first = await history(1);
  const again = await history(1);
  const other = await history(2);
  expect(first.length).toBeGreaterThan(100);
  expect(again.length).toBe(first.length);
  expect(again.find((text, n) => text !== first[n])).toBeUndefined();
  expect(other.join()).not.toBe(first.join());
});

it("events arrive signed and in order, without a socket", async () => {
  const stripe = createSeededStripe(1);
  stripe.sendEventsTo(webhook);
  await aSubscription(stripe);
  await stripe.settled();
  const events = stripe.delivered.map(({ body, headers }) => {
    const age = Math.floor(stripe.clock.now() / 1000);
    return Stripe.webhooks.constructEvent(body, headers["stripe-signature"] ?? "", webhook.secret, 300, undefined, age);
  });
  const { data } = await stripe.client.events.list({ limit: 100 });
  expect(events.map(({ id }) => id)).toEqual(data.map(({ id }) => id).toReversed());
  expect(data.map(({ pending_webhooks: pending }) => pending)).toEqual(data.map(() => 0));
});

it("a scheduler can run due actions in order, each at its own time", async () => {
  const stripe = createSeededStripe(1);
  const { id, customer } = await aSubscription(stripe);
  const seconds = () => stripe.clock.now() / 1000;
  const end = seconds() + 95 * day;
  for (let at = stripe.nextDueAt(); at !== undefined && at <= end; at = stripe.nextDueAt()) {
    expect(at).toBeGreaterThanOrEqual(seconds());
    stripe.clock.set(at * 1000);
    stripe.catchUp();
  }
  const { data } = await stripe.client.charges.list({ customer: idOf(customer) });
  expect(data.map(({ created }) => new Date(created * 1000).toISOString().slice(0, 10))).toEqual([
    "2026-04-30",
    "2026-03-31",
    "2026-02-28",
    "2026-01-31",
  ]);
  expect((await stripe.client.subscriptions.retrieve(id)).status).toBe("active");
});
