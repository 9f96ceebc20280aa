import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LocalStripe, startStripe } from "../src/server.ts";
import { clientOf, controlOf, startReceiver } from "./local.ts";
import { aPrice, there } from "./target.ts";

const secret = "whsec_test";

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let server: LocalStripe;
let stripe: Stripe;
let control: ReturnType<typeof controlOf>;
beforeEach(async () => {
  receiver = await startReceiver();
  server = await startStripe({ webhook: { url: receiver.url, secret } });
  stripe = clientOf(server.url);
  control = controlOf(server.url);
});
afterEach(async () => {
  await server.close();
  receiver.close();
});

/** Renames a new customer several times. Each change creates one event. */
const rename = async (names: readonly string[]) => {
  const { id } = await stripe.customers.create({ name: "none" });
  for (const name of names) await stripe.customers.update(id, { name });
  return id;
};
const names = () =>
  receiver.received.map(({ event }) => (event.type === "customer.updated" ? event.data.object.name : event.type));

describe("an event", () => {
  it("an event is delivered with a signature, the changes, and the request that caused it", async () => {
    const customer = await stripe.customers.create({ name: "Ada", metadata: { a: "1", b: "2" } });
    await stripe.customers.update(customer.id, { metadata: { b: "3" } }, { idempotencyKey: "key-1" });
    await server.settled();

    const { body, signature } = there(receiver.received[1]);
    const event = Stripe.webhooks.constructEvent(body, signature, secret);
    expect(event).toMatchObject({
      type: "customer.updated",
      api_version: Stripe.API_VERSION,
      livemode: false,
      pending_webhooks: 1,
      data: { object: { id: customer.id, metadata: { a: "1", b: "3" } } },
      request: { id: expect.stringMatching(/^req_/), idempotency_key: "key-1" },
    });
    expect(event.data.previous_attributes).toEqual({ metadata: { b: "2" } });
    expect(() => Stripe.webhooks.constructEvent(body, signature, "whsec_other")).toThrow("signature");
    expect((await stripe.events.retrieve(event.id)).pending_webhooks).toBe(0);
  });

  it("an event shows its object at the time of the event, even if it has changed since", async () => {
    await rename(["first", "second"]);
    await server.settled();
    expect(names()).toEqual(["customer.created", "first", "second"]);
  });

  it("an event without a request has no request id", async () => {
    const { id: customer } = await stripe.customers.create({ payment_method: "pm_card_visa" });
    const subscription = { customer, items: [{ price: await aPrice(stripe) }], trial_period_days: 1 };
    await stripe.subscriptions.create(subscription);
    await server.settled();
    receiver.received.length = 0;
    await control("advance", { days: 2 });
    await server.settled();
    expect(receiver.types()).toContain("customer.subscription.updated");
    expect(receiver.received.map(({ event }) => event.request)).toEqual(
      receiver.received.map(() => ({ id: null, idempotency_key: null })),
    );
  });

  it("an event is delivered to the endpoints that are subscribed to its type", async () => {
    const other = await startReceiver();
    const endpoint = await stripe.webhookEndpoints.create({ url: other.url, enabled_events: ["customer.updated"] });
    await rename(["first"]);
    await server.settled();
    expect(receiver.types()).toEqual(["customer.created", "customer.updated"]);
    expect(other.types()).toEqual(["customer.updated"]);
    const { body, signature } = there(other.received[0]);
    expect(Stripe.webhooks.constructEvent(body, signature, there(endpoint.secret)).type).toBe("customer.updated");
    expect((await stripe.webhookEndpoints.list()).data.map((listed) => listed.secret)).toEqual([undefined, undefined]);
    other.close();
  });

  it("an event is never sent to another machine", async () => {
    await expect(
      stripe.webhookEndpoints.create({ url: "https://example.com/hook", enabled_events: ["*"] }),
    ).rejects.toThrow("this machine only");
    await expect(control("webhook", { url: "http://10.0.0.1/", secret })).rejects.toThrow("this machine only");
  });
});

describe("deliveries", () => {
  it("failed deliveries of events are retried", async () => {
    receiver.answers.push(500, 503);
    await rename([]);
    await server.settled();
    expect(receiver.types()).toEqual(["customer.created"]);
  });

  it("failed deliveries are abandoned after the last retry, remain in the list of events, and can be requested", async () => {
    receiver.answers.push(500, 500, 500, 500);
    await rename([]);
    await control("deliver");
    expect(receiver.types()).toEqual([]);
    const { data } = await stripe.events.list({ delivery_success: false });
    expect(data.map(({ type }) => type)).toEqual(["customer.created"]);

    await control("deliver");
    expect(receiver.types()).toEqual(["customer.created"]);
    expect((await stripe.events.list({ delivery_success: false })).data).toEqual([]);
    expect((await stripe.events.list({ delivery_success: true })).data).toHaveLength(1);
  });

  it("the fault control delivers events twice", async () => {
    await control("faults", { duplicate: true });
    await rename(["first"]);
    await server.settled();
    expect(names()).toEqual(["customer.created", "customer.created", "first", "first"]);
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(2);
  });

  it("the fault control delivers events in random order, each once", async () => {
    await control("faults", { shuffle: true });
    const wanted = Array.from({ length: 20 }, (_, n) => `name ${n}`);
    await rename(wanted);
    await server.settled();
    expect(names()).not.toEqual(["customer.created", ...wanted]);
    expect(names()).toHaveLength(21);
    expect(new Set(names())).toEqual(new Set(["customer.created", ...wanted]));
  });

  it("dropped deliveries are never sent, and remain in the list of events", async () => {
    await control("faults", { drop: 1 });
    await rename(["first"]);
    await control("deliver");
    expect(names()).toEqual(["first"]);
    const { data } = await stripe.events.list({ delivery_success: false, types: ["customer.*"] });
    expect(data.map(({ type }) => type)).toEqual(["customer.created"]);
    await control("deliver", { dropped: true });
    expect(names()).toEqual(["first", "customer.created"]);
  });

  it("the fault control delays events until a given time or until they are requested", async () => {
    await control("faults", { delay_ms: 60_000 });
    await rename(["first"]);
    expect(names()).toEqual([]);
    await control("deliver");
    expect(names()).toEqual(["customer.created", "first"]);
  });

  it("only events created after an endpoint was registered are delivered to it", async () => {
    const later = await startStripe();
    const client = clientOf(later.url);
    await client.customers.create({});
    await controlOf(later.url)("webhook", { url: receiver.url, secret });
    await client.customers.create({ name: "second" });
    await later.settled();
    expect(receiver.types()).toEqual(["customer.created"]);
    await later.close();
  });
});
