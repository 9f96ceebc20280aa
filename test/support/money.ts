import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import Stripe from "stripe";
import { afterAll, beforeAll } from "vitest";
import { makePrice } from "#lib/billing/catalog.ts";
import { reconcile, workToDo } from "#lib/billing/reconcile.ts";
import { type Billing, billingOf } from "#lib/billing/stripe.ts";
import type { Endpoint, Mount } from "#lib/http/handler.ts";
import { machine } from "#lib/runtime.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { connect, documents, type Writer } from "#lib/store/table.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { handler as createSession } from "../../functions/checkout/create-session.ts";
import { handler as webhook } from "../../functions/webhooks/stripe.ts";
import { createTable, type Engine, startDynamoDB } from "../../tools/local/dynamodb.ts";
import { type LocalStripe, startStripe } from "../../tools/local/stripe/server.ts";
import { subOf } from "../../tools/local/users.ts";
import { admin } from "./api.ts";
import { type invoke as Invoke, invoke } from "./direct.ts";
import { aCommunity, type GivenCommunity } from "./given.ts";
import { mountOn } from "./mount.ts";
import { patience } from "./patience.ts";

const name = "odis-money";
const webhookSecret = "whsec_local";
const origin = "http://127.0.0.1:3000";

/** What may go wrong between us and the outside: called before and after each call that leaves the process. */
export type Trouble = (moment: "before" | "after") => void;

/** A table and a Stripe of their own for a test file; handlers run in this process, so that a test can make them fail. */
export function startMoney() {
  const money = moneyWorld(startStripe);
  beforeAll(money.open);
  afterAll(money.close);
  return money;
}

export type Money = ReturnType<typeof moneyWorld>;

/** The same for whoever opens and closes it. */
export function moneyWorld<Fake extends Pick<LocalStripe, "url" | "close">>(startFake: () => Promise<Fake>) {
  let engine: Engine;
  let fake: Fake;
  let documentClient: DynamoDBDocumentClient;
  let stripe: Stripe;
  let trouble: Trouble = () => {};
  let delivered: string | undefined;

  async function open(): Promise<void> {
    engine = await startDynamoDB();
    process.env.AWS_ENDPOINT_URL_DYNAMODB = engine.endpoint;
    process.env.CURSOR_KEY = "test cursors are signed with this";
    process.env.REDIRECT_ORIGINS = origin;
    process.env.STRIPE_SECRET = JSON.stringify({ secret_key: "sk_test_local", webhook_secret: webhookSecret });
    await createTable(engine.endpoint, name, { stream: false });
    documentClient = documents(patience);
    documentClient.middlewareStack.add(
      (next) => async (args) => {
        trouble("before");
        const result = await next(args);
        trouble("after");
        return result;
      },
      { step: "initialize" },
    );
    fake = await startFake();
    const { hostname, port } = new URL(fake.url);
    stripe = new Stripe("sk_test_local", {
      host: hostname,
      port,
      protocol: "http",
      telemetry: false,
      maxNetworkRetries: 0,
    });
  }

  async function close(): Promise<void> {
    documentClient.destroy();
    await fake.close();
    await engine.stop();
  }

  const troubled =
    (asked: Billing): Billing =>
    async (ask, key) => {
      trouble("before");
      const result = await asked(ask, key);
      trouble("after");
      return result;
    };

  const platform = (over: Partial<Mount> = {}): Mount =>
    mountOn({
      table: connect(documentClient, name, { ...machine, ...over }),
      identify: async (token) => JSON.parse(Buffer.from(token, "base64url").toString()) as never,
      billing: (left) => troubled(billingOf(async () => stripe)(left)),
      ...over,
    });

  const api = {
    open,
    close,
    name,
    get client() {
      return documentClient;
    },
    get table(): Writer {
      return connect(documentClient, name)();
    },
    get stripe() {
      return stripe;
    },
    get fake() {
      return fake;
    },
    platform,

    /** Runs with trouble until the work is done or fails. */
    async troubled<T>(by: Trouble, work: () => Promise<T>): Promise<T> {
      trouble = by;
      try {
        return await work();
      } finally {
        trouble = () => {};
      }
    },

    /** Calls a route as an admin. */
    async call(endpoint: Endpoint, options: Parameters<typeof Invoke>[2], on: Mount = platform()) {
      const { status, body } = await invoke(endpoint, on, { as: admin, ...options });
      return { status, body };
    },

    /** The same, with the headers of the answer. */
    answer: (endpoint: Endpoint, options: Parameters<typeof Invoke>[2], on: Mount = platform()) =>
      invoke(endpoint, on, { as: admin, ...options }),

    /** A client of a Stripe where nobody listens. */
    unreachable: () =>
      new Stripe("sk_test_local", { host: "127.0.0.1", port: 1, protocol: "http", maxNetworkRetries: 0 }),

    /** Does something and tells what Stripe was asked meanwhile. */
    async counting(act: () => Promise<{ status?: number | undefined }>) {
      await fetch(`${fake.url}/_fake/requests`, { method: "DELETE" });
      const { status } = await act();
      const asked = (await (await fetch(`${fake.url}/_fake/requests`)).json()) as { path: string }[];
      return { status, asked };
    },

    /** A community whose tier has a price at Stripe. */
    async aPricedCommunity(tier: Parameters<typeof aCommunity>[1] = {}): Promise<GivenCommunity> {
      return api.price(await aCommunity(api.table, tier));
    },

    /** Gives the tier of a community a price at Stripe. */
    async price(community: GivenCommunity): Promise<GivenCommunity> {
      const billing = billingOf(async () => stripe)(() => 20_000);
      const stripe_price_id = await makePrice(billing, community.id, community.tier);
      await write(api.table, [
        { update: keys.tier(community.id, community.tier.id), set: { stripe_price_id }, when: "exists" },
      ]);
      return { ...community, tier: { ...community.tier, stripe_price_id } };
    },

    /** A person with a profile. */
    async aPerson(): Promise<{ id: number }> {
      const user = users.newUser(
        { sub: "", username: `p${Math.random()}`, email: "p@example.com" },
        new Date(),
        Math.random,
      );
      await users.add(api.table, { ...user, sub: subOf(user.id) });
      return { id: user.id };
    },

    /** Opens a checkout as the person, without completing it. */
    openCheckout: (community: GivenCommunity, person: { id: number }, on: Mount = platform()) =>
      invoke(createSession, on, {
        params: { community_id: community.id },
        as: person,
        body: { tier_id: community.tier.id, success_url: `${origin}/yes`, cancel_url: `${origin}/no` },
      }),

    /** Completes Stripe's hosted page, as a person would. */
    async complete(url: unknown, how: object = {}): Promise<Response> {
      return fetch(`${String(url)}/complete`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(how),
      });
    },

    /** Joins through checkout; their events are delivered. */
    async aSubscriber(community: GivenCommunity): Promise<StoredMember> {
      const person = await api.aPerson();
      const { body } = await api.openCheckout(community, person);
      await api.complete(body?.url);
      await api.deliverAll();
      const item = await api.table.get(keys.customerOf(person.id, community.id));
      const member = await members.find(api.table, community.id, Number(item?.member_id));
      if (!member) throw new Error("There is no member after a checkout");
      return member;
    },

    /** What the stand-in's dashboard and clock do; what cannot be done is let go. */
    async control(path: string, body: object): Promise<void> {
      const response = await fetch(`${fake.url}/_fake/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (response.status >= 500) throw new Error(await response.text());
    },

    async memberNow({ community_id, id }: StoredMember): Promise<StoredMember> {
      const member = await members.find(api.table, community_id, id);
      if (!member) throw new Error("There is no such member");
      return member;
    },

    /** Delivers one event, signed, to the webhook. */
    async deliver(event: Stripe.Event, on: Mount = platform()): Promise<number> {
      const payload = JSON.stringify(event);
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
      const { status = 0 } = await invoke(webhook, on, { raw: payload, headers: { "stripe-signature": signature } });
      return status;
    },

    /** The id of the newest event there is. */
    async lastEvent(): Promise<string | undefined> {
      const { data } = await stripe.events.list({ limit: 1 });
      return data[0]?.id;
    },

    /** What happened after an event, oldest first; without one, everything. Stripe forgets after 30 days. */
    async eventsSince(last: string | undefined): Promise<Stripe.Event[]> {
      const events: Stripe.Event[] = [];
      for await (const event of stripe.events.list({ limit: 100 })) {
        if (event.id === last) break;
        events.unshift(event);
      }
      return events;
    },

    async deliverAll(): Promise<void> {
      for (const event of await api.eventsSince(delivered)) {
        delivered = event.id;
        await api.deliver(event);
      }
    },

    /** Delivers all of a customer, as Stripe does with what was not taken; what was taken changes nothing. */
    async redeliver(customer: string, since: Date): Promise<void> {
      const created = { gte: Math.floor(since.getTime() / 1000) };
      const { data } = await stripe.events.list({ created, limit: 100 });
      const theirs = data.filter((event) => {
        const object = event.data.object as { id?: string; customer?: unknown };
        return object.customer === customer || object.id === customer;
      });
      for (const event of theirs.toReversed()) await api.deliver(event);
    },

    /** What the schedule does. */
    async reconcile(now: Date = new Date()): Promise<void> {
      const billing = billingOf(async () => stripe)(() => 60_000);
      const work = await workToDo({ table: api.table, billing, now }, false);
      for await (const step of reconcile(work)) if (step.failed) throw new Error(`${step.kind} ${step.id} failed`);
    },
  };
  return api;
}
