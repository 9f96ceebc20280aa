import { beforeAll, describe, expect, it } from "vitest";
import * as benefitRoutes from "#lib/contract/benefits.ts";
import * as brandRoutes from "#lib/contract/brands.ts";
import { createSession } from "#lib/contract/checkout.ts";
import * as memberRoutes from "#lib/contract/members.ts";
import * as tierRoutes from "#lib/contract/tiers.ts";
import type { Envelope } from "../../tools/local/event-bus.ts";
import { addProfile } from "../../tools/local/users.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, type GivenCommunity } from "../support/given.ts";

const api = startApi();

const received: Envelope[] = [];
let community: GivenCommunity;
let tierId: number;
beforeAll(async () => {
  api.stack.bus.subscribe((envelope) => void received.push(envelope));
  community = await aCommunity(api.table);
  const tier = { name: "Barrel Owner", monthly_price_dollars: 25 };
  const { body } = await api.call(tierRoutes.create, {
    as: admin,
    params: { community_id: community.id },
    body: { tier },
  });
  tierId = body.id;
});

type Told = {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly previous: Readonly<Record<string, unknown>>;
};

/** Waits until Stripe has been heard and the bus knows all; tells the events of one record. */
async function eventsOf(is: (data: Told["data"]) => boolean): Promise<Told[]> {
  await api.stack.stripe?.settled();
  await api.stack.settled();
  return received.map(({ detail }) => detail as unknown as Told).filter(({ data }) => is(data));
}

const expectOnceAndGrowing = (events: readonly Told[]) => {
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const sequences = events.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
};

const person = { id: 71, username: "carmen", first_name: "Carmen", last_name: "Quiroga" };

/** Joins through Stripe's hosted page; the id of the member that came of it. */
async function join(): Promise<number> {
  await addProfile(api.table, person);
  const { body } = await api.call(createSession, {
    as: person,
    params: { community_id: community.id },
    body: { tier_id: tierId, success_url: `${api.stack.url}/yes`, cancel_url: `${api.stack.url}/no` },
  });
  await fetch(`${body.url}/complete`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  await api.stack.stripe?.settled();
  const members = await api.call(memberRoutes.list, { as: admin, params: { community_id: community.id } });
  return members.body.data[0]?.id ?? 0;
}

describe("a subscriber", () => {
  it("attack 52: a subscriber hears of each change of a member once, in a growing sequence, without anything personal", async () => {
    const id = await join();
    const params = { community_id: community.id, id };
    const as = admin;
    await api.call(memberRoutes.cancelSubscription, { as, params, body: {} });
    await api.call(memberRoutes.uncancelSubscription, { as, params });
    await api.call(memberRoutes.block, { as, params, body: { reason: "Insults Carmen" } });
    await api.call(memberRoutes.unblock, { as, params });
    const { body } = await api.call(memberRoutes.issueRefund, {
      as,
      params,
      body: { amount_cents: 700, note: "Broken bottle" },
    });
    const { refund_id } = body.refund;
    await fetch(`${api.stack.stripe?.url}/_fake/refunds/${refund_id}`, { method: "POST", body: '{"status":"failed"}' });
    await api.stack.stripe?.settled();
    await api.call(memberRoutes.cancelSubscription, { as, params, body: { mode: "immediately" } });

    const events = await eventsOf((data) => data.id === id || data.member_id === id);
    expect(events.map(({ type, previous }) => [type, previous])).toEqual([
      ["member.joined", {}],
      ["member.cancel_scheduled", { cancel_at_period_end: false, cancel_at: null, canceled_at: null }],
      [
        "member.uncanceled",
        { cancel_at_period_end: true, cancel_at: expect.any(String), canceled_at: expect.any(String) },
      ],
      ["member.blocked", { is_blocked: false }],
      ["member.unblocked", { is_blocked: true }],
      ["refund.created", {}],
      ["refund.failed", { status: "succeeded" }],
      ["member.canceled", expect.objectContaining({ status: "active", ended_at: null })],
    ]);
    expect(events.at(-1)?.data).toMatchObject({
      id,
      community_id: community.id,
      user_id: person.id,
      status: "canceled",
    });
    expect(events[5]?.data).toMatchObject({ refund_id, amount_cents: 700, member_id: id, user_id: person.id });
    expectOnceAndGrowing(events);
    expect(JSON.stringify(events)).not.toMatch(/carmen|quiroga|@|bottle|insults/i);
  });

  it("edits of a member's notes and custom metadata send no event", async () => {
    const { body } = await api.call(memberRoutes.list, { as: admin, params: { community_id: community.id } });
    const id = body.data[0]?.id ?? 0;
    const isIt = (data: Told["data"]) => data.id === id || data.member_id === id;
    const before = await eventsOf(isIt);
    const member = { metadata: { notes: "Likes it smoky", shoe_size: 44 } };
    const params = { community_id: community.id, id };
    expect(await api.call(memberRoutes.update, { as: admin, params, body: { member } })).toMatchObject({ status: 200 });
    expect(await eventsOf(isIt)).toEqual(before);
  });

  it("every change of a benefit sends an event, from creation to deletion", async () => {
    const as = admin;
    const benefit = { name: "Tastings", tier_ids: [tierId] };
    const { body } = await api.call(benefitRoutes.create, {
      as,
      params: { community_id: community.id },
      body: { benefit },
    });
    const params = { id: body.id };
    await api.call(benefitRoutes.update, { as, params, body: { benefit: { name: "Tasting notes" } } });
    await api.call(benefitRoutes.update, { as, params, body: { benefit: { name: "Tasting notes" } } });
    await api.call(benefitRoutes.assignToTiers, { as, params, body: { tier_ids: [] } });
    await api.call(benefitRoutes.archive, { as, params });
    await api.call(benefitRoutes.activate, { as, params });
    await api.call(benefitRoutes.activate, { as, params });
    await api.call(benefitRoutes.remove, { as, params });

    const events = await eventsOf(({ id, name }) => id === body.id && typeof name === "string");
    expect(events.map(({ type, previous }) => [type, previous])).toEqual([
      ["benefit.created", {}],
      ["benefit.updated", { name: "Tastings" }],
      ["benefit.updated", { tier_ids: [tierId] }],
      ["benefit.archived", { status: "active" }],
      ["benefit.activated", { status: "archived" }],
      ["benefit.deleted", {}],
    ]);
    expectOnceAndGrowing(events);
  });

  it("the bus receives each change of a brand once, with its time, however many producers it has", async () => {
    const as = admin;
    // The stream rounds times down: DynamoDB to the second, DynamoDB Local to the minute.
    const start = Math.floor(Date.now() / 60_000) * 60_000;
    const [producer_id, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const brand = { name: "Alma", producer_ids: [producer_id, other] };
    const { body } = await api.call(brandRoutes.create, { as, params: { producer_id }, body: { brand } });
    const params = { producer_id, id: body.id };
    await api.call(brandRoutes.update, { as, params, body: { brand: { producer_ids: [producer_id] } } });
    await api.call(brandRoutes.remove, { as, params });

    const events = await eventsOf(({ id }) => id === body.id);
    expect(events.map(({ type, previous }) => [type, previous])).toEqual([
      ["brand.created", {}],
      ["brand.updated", { producer_ids: [producer_id, other].toSorted() }],
      ["brand.deleted", {}],
    ]);
    expectOnceAndGrowing(events);
    const deletedAt = Date.parse(events[2]?.at ?? "");
    expect(deletedAt).toBeGreaterThanOrEqual(start);
    expect(deletedAt).toBeLessThanOrEqual(Date.now());
  });
});
