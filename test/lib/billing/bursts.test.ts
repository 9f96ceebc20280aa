import type Stripe from "stripe";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { isCovered, syncForEvent } from "#lib/billing/event-sync.ts";
import { eventTypes } from "#lib/billing/events.ts";
import { linkOf } from "#lib/billing/operations.ts";
import type { Billing } from "#lib/billing/stripe.ts";
import { markHandled } from "#lib/store/handled-events.ts";
import { keys } from "#lib/store/keys.ts";
import { confirmationOf } from "#lib/store/members/confirmation.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { syncTurnsOf } from "#lib/store/sync-turns.ts";
import { write } from "#lib/store/write.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

/** How many requests one synchronization takes: subscriptions, charges and invoices. */
const requestsOfOne = 3;

/** The handled events of an action at Stripe, oldest first. */
async function eventsOf(act: () => Promise<unknown>): Promise<Stripe.Event[]> {
  const last = await money.lastEvent();
  await act();
  return (await money.eventsSince(last)).filter(({ type }) => eventTypes.some((handled) => handled === type));
}

/** Delivers events at the same time. @returns the responses, and the number of requests to Stripe */
async function deliverTogether(events: readonly Stripe.Event[]) {
  let answers: number[] = [];
  const { asked } = await money.requestsDuring(async () => {
    answers = await Promise.all(events.map((event) => money.deliver(event)));
    return {};
  });
  return { answers, requests: asked.length };
}

const confirmationsOf = async (member: StoredMember): Promise<number> =>
  (await confirmationOf(money.table, member)).confirmations ?? 0;

/** An undelivered event of the member's subscription with the given age in seconds. */
const anEvent = (event: Stripe.Event, secondsAgo: number): Stripe.Event => ({
  ...event,
  id: `evt_${Math.random()}`,
  created: Math.floor(Date.now() / 1000) - secondsAgo,
});

describe("events that arrive together", () => {
  it("the events of a checkout cause two synchronizations and an active member", async () => {
    const person = await money.aPerson();
    const { body } = await money.openCheckout(community, person);
    const events = await eventsOf(() => money.complete(body?.url));
    expect(events.length).toBeGreaterThanOrEqual(4);

    const { answers, requests } = await deliverTogether(events);
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(requests).toBeLessThanOrEqual(2 * requestsOfOne);
    const item = await money.table.get(keys.customerOf(person.id, community.id));
    expect(await members.find(money.table, community.id, Number(item?.member_id))).toMatchObject({ status: "active" });
    for (const { id } of events) expect(await money.table.get(keys.stripeEvent(id))).toBeDefined();
  });

  it("an event that waited for a failed synchronization causes another synchronization", async () => {
    const member = await money.aSubscriber(community);
    const confirmed = await confirmationsOf(member);
    const [event] = (await money.stripe.events.list({ type: "invoice.paid" })).data as [Stripe.Event];
    await money.control("faults", { fail_next: { count: requestsOfOne, status: 500 } });
    const { answers } = await deliverTogether([anEvent(event, 0), anEvent(event, 0)]);
    await money.control("faults", { fail_next: 0 });
    expect(answers).toContain(200);
    expect(await confirmationsOf(member)).toBeGreaterThan(confirmed);
  });

  it("an event takes over from a synchronization that has crashed", async () => {
    const member = await money.aSubscriber(community);
    const confirmed = await confirmationsOf(member);
    const [event] = (await money.stripe.events.list({ type: "invoice.paid" })).data as [Stripe.Event];
    const key = keys.syncTurns(member.stripe_customer_id ?? "");
    await write(money.table, [
      { update: key, set: { running_until: Date.now() - 1 }, add: { begun: 1 }, when: "exists" },
    ]);
    expect(await money.deliver(anEvent(event, 0))).toBe(200);
    expect(await confirmationsOf(member)).toBe(confirmed + 1);
  });
});

describe("an event that arrives late", () => {
  let event: Stripe.Event;
  beforeAll(async () => {
    await money.aSubscriber(community);
    [event] = (await money.stripe.events.list({ type: "invoice.paid" })).data as [Stripe.Event];
  });

  it.each([
    ["an event from a minute before the last synchronization sends no request to Stripe", 60, 0],
    ["an event within the clock margin before the last synchronization causes another one", 5, requestsOfOne],
  ])("%s", async (_, secondsAgo, expected) => {
    const late = anEvent(event, secondsAgo);
    const { answers, requests } = await deliverTogether([late]);
    expect({ answers, requests }).toEqual({ answers: [200], requests: expected });
    expect(await money.table.get(keys.stripeEvent(late.id))).toBeDefined();
  });
});

describe("events of many customers at once", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("an event above the rate limit returns 429 without a request to Stripe, and is handled when it is delivered again", async () => {
    const member = await money.aSubscriber(community);
    const confirmed = await confirmationsOf(member);
    const [newest] = (await money.stripe.events.list({ type: "invoice.paid" })).data as [Stripe.Event];
    const event = anEvent(newest, 0);
    const now = Math.floor(Date.now() / 1000);
    for (let second = now; second < now + 60; second++)
      await write(money.table, [
        { put: { ...keys.usage(String(second), "EVENTS"), used: 15, expires_at: second + 60 } },
      ]);

    vi.stubEnv("THROTTLE", "on");
    expect(await deliverTogether([event])).toEqual({ answers: [429], requests: 0 });
    expect(await money.table.get(keys.stripeEvent(event.id))).toBeUndefined();
    vi.stubEnv("THROTTLE", "off");
    expect(await deliverTogether([event])).toEqual({ answers: [200], requests: requestsOfOne });
    expect(await confirmationsOf(member)).toBe(confirmed + 1);
  });
});

describe("isCovered", () => {
  const none = { begun: 0, running_until: 0, succeeded: 0, asked_at: 0 };
  const created = 1_800_000_000;
  const at = (seconds: number) => (created + seconds) * 1000;

  it.each([
    ["is not covered before any synchronization", none, none, false],
    [
      "is not covered if the newest synchronization began before the event arrived",
      { ...none, begun: 3 },
      { ...none, begun: 3, succeeded: 3 },
      false,
    ],
    [
      "is covered if a synchronization began afterwards and succeeded",
      { ...none, begun: 3 },
      { ...none, begun: 4, succeeded: 4 },
      true,
    ],
    [
      "is not covered if a synchronization began afterwards and has not succeeded",
      { ...none, begun: 3 },
      { ...none, begun: 4, succeeded: 2 },
      false,
    ],
    ["is covered if Stripe was read 11 seconds later by the clock", none, { ...none, asked_at: at(11) }, true],
    ["is not covered if Stripe was read less than 11 seconds later", none, { ...none, asked_at: at(11) - 1 }, false],
    ["is not covered if Stripe was read before", none, { ...none, asked_at: at(-60) }, false],
  ])("an event %s", (_, turns, latest, expected) => {
    expect(isCovered({ created, turns }, latest)).toBe(expected);
  });
});

it("a synchronization that stores nothing because its event was handled meanwhile covers no other events", async () => {
  const member = await money.aSubscriber(community);
  const link = linkOf(member);
  const billing = money.platform().billing?.(() => 20_000) as Billing;
  const { succeeded } = await syncTurnsOf(money.table, link.customer_id);
  await money.stripe.subscriptions.update(member.stripe_subscription_id ?? "", { cancel_at_period_end: true });
  const event = { id: `evt_${Math.random()}`, created: Math.floor(Date.now() / 1000) };
  const handleMeanwhile = () => markHandled(money.table, event.id, new Date());

  await syncForEvent({ table: money.table, billing, now: new Date() }, link, event, handleMeanwhile);

  expect(await syncTurnsOf(money.table, link.customer_id)).toMatchObject({ running_until: 0, succeeded });
});
