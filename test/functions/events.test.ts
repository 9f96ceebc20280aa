import { beforeAll, describe, expect, it } from "vitest";
import * as benefitRoutes from "#lib/contract/benefits.ts";
import * as brandRoutes from "#lib/contract/brands.ts";
import { createSession } from "#lib/contract/checkout.ts";
import * as communityRoutes from "#lib/contract/communities.ts";
import * as memberRoutes from "#lib/contract/members.ts";
import * as tierRoutes from "#lib/contract/tiers.ts";
import type { Envelope } from "../../tools/local/event-bus.ts";
import { addProfile } from "../../tools/local/users.ts";
import { admin, startApi } from "../support/api.ts";
import { everyPage } from "../support/every-page.ts";
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
  readonly timestamp: string;
  readonly sequence: number;
  readonly subject: string;
  readonly community_id: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly previous: Readonly<Record<string, unknown>>;
};

/** Waits until all events of Stripe are handled and sent to the bus. @returns the events of one record */
async function eventsOf(subject: string): Promise<Told[]> {
  await api.stack.stripe?.settled();
  await api.stack.settled();
  return received.map(({ detail }) => detail as unknown as Told).filter((event) => event.subject === subject);
}

const expectOnceAndGrowing = (events: readonly Told[]) => {
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const sequences = events.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
};

const person = { id: 71, username: "carmen", first_name: "Carmen", last_name: "Quiroga" };

/** Joins through Stripe's hosted page. @returns the id of the member */
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
  it("a subscriber receives each change of a member once, with rising sequence numbers and without personal data", async () => {
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

    const events = await eventsOf(`communities/${community.id}/members/${id}`);
    expect(events.map(({ type }) => type)).toEqual([
      "payment.succeeded",
      "member.joined",
      "access.granted",
      "member.cancel_scheduled",
      "access.granted",
      "member.uncanceled",
      "access.granted",
      "member.blocked",
      "access.revoked",
      "member.unblocked",
      "access.granted",
      "refund.created",
      "refund.failed",
      "member.canceled",
      "access.revoked",
    ]);
    const previous = Object.fromEntries(events.map((event) => [event.type, event.previous]));
    expect(previous).toMatchObject({
      "payment.succeeded": {},
      "member.joined": {},
      "member.cancel_scheduled": { cancel_at_period_end: false, cancel_at: null, canceled_at: null },
      "member.uncanceled": {
        cancel_at_period_end: true,
        cancel_at: expect.any(String),
        canceled_at: expect.any(String),
      },
      "member.blocked": { is_blocked: false, access: { granted: true, reason: "active", until: null } },
      "member.unblocked": { is_blocked: true },
      "refund.created": {},
      "refund.failed": { status: "succeeded" },
      "member.canceled": { status: "active", ended_at: null },
    });
    expect(events[0]).toMatchObject({
      community_id: community.id,
      data: { member: { id, status: "active" }, payment: { amount_cents: 2500, status: "succeeded" } },
    });
    expect(events[11]?.data).toMatchObject({
      member: { id, user_id: person.id, total_refunded_cents: 700, lifetime_spend_cents: 1800 },
      refund: { refund_id, amount_cents: 700 },
    });
    expect(events[11]?.data.refund).not.toHaveProperty("note");
    const shown = await api.call(memberRoutes.show, { as, params });
    expect(events.at(-1)?.data.member).toMatchObject({ status: "canceled", ended_at: shown.body.ended_at });
    expect(events.at(-1)?.sequence).toBeLessThanOrEqual(shown.body.sequence);
    expectOnceAndGrowing(events);
    expect(JSON.stringify(events)).not.toMatch(/carmen|quiroga|@|bottle|insults/i);
  });

  it("the list of events has each event that was sent to the bus once, and nothing is put before a listed one", async () => {
    await api.stack.settled();
    const sent = () =>
      new Map(
        received.filter(({ detail }) => detail.community_id === community.id).map(({ detail }) => [detail.id, detail]),
      );
    const given = { as: community.owner, params: { community_id: community.id } };
    const listed = async (filters: { readonly after?: string; readonly type?: "payment.succeeded" } = {}) =>
      (await everyPage(async (cursor) => {
        const query = { per: "3", ...filters, ...(cursor !== undefined && { cursor }) };
        return (await api.call(communityRoutes.events, { ...given, query })).body;
      })) as Told[];
    const all = await listed();
    expect(new Map(all.map((event) => [event.id, event]))).toEqual(sent());
    expect(all).toHaveLength(sent().size);
    expect(all.length).toBeGreaterThan(15);
    const [first, ...later] = all.toReversed();
    expect(await listed({ after: String(first?.id) })).toEqual(later);
    const paid = await listed({ type: "payment.succeeded" });
    expect(paid).toEqual(all.filter(({ type }) => type === "payment.succeeded"));
  });

  it("an unknown event in `after` is refused with the advice to read all records again", async () => {
    const { status, body } = await api.call(communityRoutes.events, {
      as: community.owner,
      params: { community_id: community.id },
      query: { after: "9c1f-0" },
    });
    expect({ status, body }).toMatchObject({
      status: 422,
      body: {
        code: "invalid_cursor",
        detail: expect.stringContaining("Read all records again"),
        errors: [{ parameter: "after" }],
      },
    });
  });

  it("edits of a member's notes and custom metadata send no event", async () => {
    const { body } = await api.call(memberRoutes.list, { as: admin, params: { community_id: community.id } });
    const id = body.data[0]?.id ?? 0;
    const subject = `communities/${community.id}/members/${id}`;
    const before = await eventsOf(subject);
    const member = { metadata: { notes: "Likes it smoky", shoe_size: 44 } };
    const params = { community_id: community.id, id };
    expect(await api.call(memberRoutes.update, { as: admin, params, body: { member } })).toMatchObject({ status: 200 });
    expect(await eventsOf(subject)).toEqual(before);
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

    const events = await eventsOf(`benefits/${body.id}`);
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

  it("every change of a community and its tiers sends an event", async () => {
    const as = admin;
    const given = { name: "Pulque Club", owner_id: community.owner.id };
    const { body: club } = await api.call(communityRoutes.create, { as, body: { community: given } });
    const tier = { name: "Tinacal", monthly_price_dollars: 5 };
    const params = { community_id: club.id };
    const { body: created } = await api.call(tierRoutes.create, { as, params, body: { tier } });
    const edit = (change: object) =>
      api.call(communityRoutes.update, { as, params: { id: club.id }, body: { community: change } });
    const editTier = (change: object) =>
      api.call(tierRoutes.update, { as, params: { id: created.id }, body: { tier: change } });
    await edit({ name: "Pulque Circle" });
    await edit({ status: "archived" });
    await edit({ status: "active" });
    await editTier({ position: 7 });
    await editTier({ monthly_price_dollars: 6 });
    await editTier({ status: "archived" });
    await editTier({ status: "active" });
    await api.call(tierRoutes.remove, { as, params: { id: created.id } });

    const ofTier = await eventsOf(`tiers/${created.id}`);
    expect(ofTier.map(({ type, previous }) => [type, previous])).toEqual([
      ["tier.created", {}],
      ["tier.updated", { position: 0 }],
      ["tier.updated", { monthly_price_dollars: 5, stripe_price_id: expect.stringMatching(/^price_/) }],
      ["tier.archived", { status: "active" }],
      ["tier.activated", { status: "archived" }],
      ["tier.deleted", {}],
    ]);
    expect(ofTier[0]).toMatchObject({ community_id: club.id, data: { tier: { ...tier, id: created.id } } });
    const ofCommunity = await eventsOf(`communities/${club.id}`);
    expect(ofCommunity.map(({ type, previous }) => [type, previous])).toEqual([
      ["community.created", {}],
      ["community.updated", { name: "Pulque Club" }],
      ["community.archived", { status: "active" }],
      ["community.activated", { status: "archived" }],
    ]);
    for (const events of [ofTier, ofCommunity]) expectOnceAndGrowing(events);
    for (const { data } of ofCommunity) expect(data.community).not.toHaveProperty("member_count");
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

    const events = await eventsOf(`brands/${body.id}`);
    expect(events.map(({ type, previous }) => [type, previous])).toEqual([
      ["brand.created", {}],
      ["brand.updated", { producer_ids: [producer_id, other].toSorted() }],
      ["brand.deleted", {}],
    ]);
    expectOnceAndGrowing(events);
    const deletedAt = Date.parse(events[2]?.timestamp ?? "");
    expect(deletedAt).toBeGreaterThanOrEqual(start);
    expect(deletedAt).toBeLessThanOrEqual(Date.now());
  });
});
