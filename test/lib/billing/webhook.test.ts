import Stripe from "stripe";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { billing } from "#lib/billing/stripe.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { handler as webhook } from "../../../functions/webhooks/stripe.ts";
import { fromNow } from "../../support/clock.ts";
import { invoke } from "../../support/direct.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

let community: GivenCommunity;
let member: StoredMember;
let event: Stripe.Event;
beforeAll(async () => {
  community = await money.aPricedCommunity();
  member = await money.aSubscriber(community);
  [event] = (await money.stripe.events.list({ type: "customer.subscription.created" })).data as [Stripe.Event];
});

const secret = "whsec_local";
const post = (payload: string, signature?: string) =>
  invoke(webhook, money.platform(), {
    raw: payload,
    headers: signature === undefined ? {} : { "stripe-signature": signature },
  });
const signed = (payload: string, more: { secret?: string; timestamp?: number } = {}) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, ...more });

/** The event with a new id, so that it has not been handled before. */
const another = (change: object = {}) => JSON.stringify({ ...event, id: `evt_${Math.random()}`, ...change });

describe("the webhook", () => {
  it.each([
    ["of the other mode", { livemode: true }],
    ["of a type that is not handled", { type: "product.created" }],
    ["of an unknown customer", { data: { object: { object: "subscription", customer: "cus_foreign" } } }],
    ["without a customer", { data: { object: { object: "refund" } } }],
  ])("the webhook ignores an event %s", async (_, change) => {
    const text = another(change);
    const before = await money.memberNow(member);
    expect((await post(text, signed(text))).status).toBe(200);
    expect(await money.memberNow(member)).toEqual(before);
  });

  // The events by which Stripe reports changes of subscriptions, payments, refunds, disputes and customers:
  // https://docs.stripe.com/api/events/types
  it.each([
    ...["completed", "async_payment_succeeded", "async_payment_failed"].map((name) => `checkout.session.${name}`),
    ...["created", "updated", "deleted", "paused", "resumed"].map((name) => `customer.subscription.${name}`),
    "subscription_schedule.updated",
    ...["paid", "payment_failed"].map((name) => `invoice.${name}`),
    ...["created", "updated", "failed"].map((name) => `refund.${name}`),
    ...["created", "updated", "closed"].map((name) => `charge.dispute.${name}`),
    ...["updated", "deleted"].map((name) => `customer.${name}`),
  ])("the webhook handles an event of the type %s", async (type) => {
    const text = another({ type });
    const { id } = JSON.parse(text) as { readonly id: string };
    expect((await post(text, signed(text))).status).toBe(200);
    expect(await money.table.get(keys.stripeEvent(id))).toBeDefined();
  });

  it("the webhook ignores an event that it has already handled", async () => {
    const before = await money.memberNow(member);
    expect(await money.deliver(event)).toBe(200);
    expect((await money.memberNow(member)).sync_version).toBe(before.sync_version);
  });

  it("an event whose handling fails returns 500 and is handled when it is delivered again", async () => {
    await money.stripe.customers.update(member.stripe_customer_id ?? "", {
      shipping: { name: "Ana", address: { line1: "Calle 5", city: "Oaxaca", country: "MX" } },
    });
    const text = another();
    const { id } = JSON.parse(text) as Stripe.Event;
    await money.control("faults", { fail_next: { count: 4, status: 500 } });
    expect((await post(text, signed(text))).status).toBe(502);
    await money.control("faults", { fail_next: 0 });
    expect(await money.table.get(keys.stripeEvent(id))).toBeUndefined();

    expect((await post(text, signed(text))).status).toBe(200);
    expect(await money.table.get(keys.stripeEvent(id))).toBeDefined();
    expect((await money.memberNow(member)).shipping_address?.line1).toBe("Calle 5");
  });

  it("the webhook accepts a base64 body and refuses one over 256 KiB", async () => {
    const text = another();
    expect((await post(`${text}${" ".repeat(300_000)}`, signed(text))).status).toBe(413);
  });
});

describe("the secret of the webhook", () => {
  const given = { secret_key: "sk_test_local", webhook_secret: "whsec_new" };
  const withSecret = (value: object) => vi.stubEnv("STRIPE_SECRET", JSON.stringify(value));
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ["accepted until the overlap ends", { hours: 1 }, 200],
    ["rejected once the overlap is over", { hours: -1 }, 400],
  ])("an event that is signed with the previous secret is %s", async (_, until, status) => {
    withSecret({ ...given, previous: { webhook_secret: secret, until: fromNow(until).toISOString() } });
    const text = another();
    expect((await post(text, signed(text))).status).toBe(status);
    expect((await post(text, signed(text, { secret: "whsec_new" }))).status).toBe(200);
  });

  it("the webhook and routes that call Stripe return 503 while no secret is stored", async () => {
    withSecret({});
    const text = another();
    const unavailable = { status: 503, body: { code: "payment_processor_unavailable" } };
    expect(await post(text, signed(text))).toMatchObject(unavailable);
    const on = money.platform({ billing });
    expect(await money.call(subscriptionDetails, forMember(member), on)).toMatchObject(unavailable);
  });
});

describe("a checkout", () => {
  it("a checkout of a tier with shipping creates a member with the address from Stripe's page", async () => {
    const shipping = await money.aPricedCommunity({ tier: { requires_shipping_address: true } });
    const person = await money.aPerson();
    const { body } = await money.openCheckout(shipping, person);
    const address = { line1: "Calle 5", city: "Oaxaca", country: "MX" };
    await money.complete(body?.url, { shipping: { name: "Ana Peña", address } });
    await money.deliverAll();
    const item = await money.table.get(keys.membership(person.id, shipping.id));
    expect(item).toMatchObject({ status: "active", is_blocked: false, tier_id: shipping.tier.id });
    const customer = await money.table.get(keys.customerOf(person.id, shipping.id));
    const stored = await money.table.get(keys.member(shipping.id, Number(customer?.member_id)));
    expect(stored).toMatchObject({
      shipping_address: { name: "Ana Peña", line1: "Calle 5", line2: "", country: "MX" },
    });
  });

  it("a checkout whose card is declined grants no access", async () => {
    const person = await money.aPerson();
    const { body } = await money.openCheckout(community, person);
    expect((await money.complete(body?.url, { decline: true })).status).toBe(402);
    await money.deliverAll();
    const item = await money.table.get(keys.membership(person.id, community.id));
    expect(["incomplete", undefined]).toContain(item?.status);
  });

  it("a checkout expires the person's earlier checkout session, and a checkout by a member is refused", async () => {
    const person = await money.aPerson();
    const first = await money.openCheckout(community, person);
    const second = await money.openCheckout(community, person);
    expect((await money.complete(first.body?.url)).status).toBeGreaterThanOrEqual(400);
    await money.complete(second.body?.url);
    await money.deliverAll();
    expect(await money.openCheckout(community, person)).toMatchObject({
      status: 409,
      body: { code: "already_a_member" },
    });
  });
});
