import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "#lib/ids.ts";
import { keys } from "#lib/store/keys.ts";
import { take } from "#lib/store/usage.ts";
import { handler as ping } from "../../functions/destinations/ping.ts";
import { handler as resend } from "../../functions/destinations/resend.ts";
import { handler as createKey } from "../../functions/keys/create.ts";
import { handler as block } from "../../functions/members/block.ts";
import { handler as issueRefund } from "../../functions/members/issue-refund.ts";
import { handler as paymentHistory } from "../../functions/members/payment-history.ts";
import { handler as refundCharge } from "../../functions/members/refund-charge.ts";
import { handler as showMember } from "../../functions/members/show.ts";
import { handler as unblock } from "../../functions/members/unblock.ts";
import { handler as updateMember } from "../../functions/members/update.ts";
import { handler as updateTier } from "../../functions/tiers/update.ts";
import { type As, admin } from "../support/api.ts";
import { counted } from "../support/counting.ts";
import { type Call, invoke, startTable } from "../support/direct.ts";
import { aCommunity, aDestination, aMember, type GivenCommunity } from "../support/given.ts";

const test = startTable();

let community: GivenCommunity;
let member: { readonly id: number };
let caller: As;
beforeAll(async () => {
  process.env.THROTTLE = "on";
  // A request does not wait for a count that takes half a second, as it may on a busy machine.
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
  community = await aCommunity(test.table);
  member = await aMember(test.table, community);
});
afterAll(() => {
  process.env.THROTTLE = "off";
  vi.restoreAllMocks();
});
beforeEach(() => {
  caller = { ...admin, id: newId(new Date(), Math.random) };
});

const start = Date.UTC(2026, 10, 21, 12);
/** Makes a request a number of seconds after the first ones. */
const ask = (endpoint: typeof block, seconds = 0, call: Call = {}) =>
  invoke(endpoint, test.platform({ now: () => new Date(start + seconds * 1000) }), {
    params: { community_id: community.id, id: member.id },
    as: caller,
    ...call,
  });

/** Uses up all requests that a caller may make at once. */
async function useUp(): Promise<void> {
  for (let n = 0; n < 10; n++) for (const endpoint of [block, unblock]) expect((await ask(endpoint)).status).toBe(200);
}

describe("the rate limit money", () => {
  it("a caller may send twenty requests of the limit money at once, and another one every three seconds", async () => {
    await useUp();
    expect(await ask(block)).toMatchObject({
      status: 429,
      headers: { "retry-after": "3" },
      body: { code: "too_many_requests" },
    });
    expect((await ask(block, 2.9)).status).toBe(429);
    expect((await ask(block, 3)).status).toBe(200);
    expect((await ask(block, 3)).status).toBe(429);
    expect((await ask(block, 9)).status).toBe(200);
    expect((await ask(unblock, 9)).status).toBe(200);
    expect((await ask(block, 9)).status).toBe(429);
  });

  it("the rate limit of one caller does not affect other callers or reads", async () => {
    await useUp();
    expect((await ask(block)).status).toBe(429);
    expect((await ask(block, 0, { as: { ...admin, id: newId(new Date(), Math.random) } })).status).toBe(200);
    expect((await ask(showMember)).status).toBe(200);
  });

  it("a caller without the right gets 403 before 429", async () => {
    await useUp();
    expect((await ask(block, 0, { as: { id: caller.id, groups: [] } })).status).toBe(403);
  });
});

describe("the rate limits processor and deliveries", () => {
  it("a caller may send sixty requests of the limit processor at once, besides those of the limit money", async () => {
    await useUp();
    for (let n = 0; n < 60; n++) expect((await ask(paymentHistory)).status).toBe(200);
    expect(await ask(paymentHistory)).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    expect((await ask(paymentHistory, 1)).status).toBe(200);
  });

  it("an edit of a member counts only if it has an address, or if its body cannot be read", async () => {
    for (let n = 0; n < 59; n++) await ask(paymentHistory);
    const notes = { body: { member: { metadata: { notes: "Hello" } } } };
    const address = { body: { member: { shipping_address: null } } };
    expect((await ask(updateMember, 0, notes)).status).toBe(200);
    expect((await ask(updateMember, 0, { raw: "{" })).status).toBe(400);
    expect((await ask(updateMember, 0, address)).status).toBe(429);
    expect((await ask(updateMember, 0, { raw: "{" })).status).toBe(429);
    expect((await ask(updateMember, 0, notes)).status).toBe(200);
  });

  it("an edit of a tier counts if it has a name or a price", async () => {
    for (let n = 0; n < 60; n++) await ask(paymentHistory);
    const edit = (tier: object) => ask(updateTier, 0, { params: { id: community.tier.id }, body: { tier } });
    expect((await edit({ badge: "New" })).status).toBe(200);
    for (const tier of [{ name: "New" }, { monthly_price_dollars: 5 }, { yearly_price_dollars: null }])
      expect(await edit(tier)).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
  });
});

it("a caller may ping and resend ten times at once, and once more every three seconds", async () => {
  await useUp();
  const { id } = await aDestination(test.table, community);
  const params = { id, delivery_id: 7 };
  for (let n = 0; n < 10; n++) expect((await ask(n % 2 ? ping : resend, 0, { params, raw: "{" })).status).toBe(400);
  for (const endpoint of [ping, resend])
    expect(await ask(endpoint, 2.9, { params })).toMatchObject({
      status: 429,
      headers: { "retry-after": "3" },
      body: { code: "too_many_requests" },
    });
  expect((await ask(resend, 3, { params })).status).toBe(404);
});

it("a caller may create twenty API keys at once, and another one every minute", async () => {
  const create = (seconds: number) => ask(createKey, seconds, { raw: "{" });
  for (let n = 0; n < 20; n++) expect((await create(0)).status).toBe(400);
  expect(await create(59)).toMatchObject({ status: 429, headers: { "retry-after": "60" } });
  expect((await create(60)).status).toBe(400);
});

it("a rate limit is exact for concurrent requests", async () => {
  const now = new Date();
  const otherwise = new Error("too many");
  const bucket = { name: "TEST", burst: 20, everyMs: 3000 };
  const tries = Array.from({ length: 60 }, () => take(test.table, "somebody", { bucket, now, otherwise }));
  const results = await Promise.allSettled(tries);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
  for (const result of results) if (result.status === "rejected") expect(result.reason).toBe(otherwise);
});

describe("the count", () => {
  it.each([1, 2, 20])("the count of %i requests is kept until all of them may be made again", async (requests) => {
    const now = new Date();
    const bucket = { name: "KEPT", burst: 20, everyMs: 60_000 };
    const sub = `a caller of ${requests}`;
    for (let n = 0; n < requests; n++) await take(test.table, sub, { bucket, now, otherwise: new Error("too many") });
    const item = await test.table.get(keys.usage(sub, bucket.name));
    expect(item?.full_at).toBe(now.getTime() + requests * bucket.everyMs);
    expect(Number(item?.expires_at) * 1000).toBeGreaterThanOrEqual(Number(item?.full_at));
  });

  it("counting a request costs one write and no additional sequential round trip", async () => {
    const counting = counted(test.client);
    await ask(block);
    const { roundTrips, calls } = counting.take();
    expect(calls.filter((call) => call.startsWith("Update"))).toHaveLength(1);
    expect(roundTrips).toBe(3);
  });

  it("a request that cannot be counted is allowed, except a refund, which gets 503 unavailable", async () => {
    await useUp();
    test.client.middlewareStack.add(
      (next) => (args) => {
        if (JSON.stringify(args.input).includes("USAGE#")) throw throttled();
        return next(args);
      },
      { step: "initialize", name: "throttled" },
    );
    expect((await ask(block)).status).toBe(200);
    for (const route of [issueRefund, refundCharge])
      expect(await ask(route, 0, { body: { charge_id: "ch_1" } })).toMatchObject({
        status: 503,
        body: { code: "unavailable" },
      });
    test.client.middlewareStack.remove("throttled");
    expect((await ask(block)).status).toBe(429);
  });
});

const throttled = (): Error =>
  Object.assign(new Error("Throughput exceeds the current capacity"), {
    name: "ProvisionedThroughputExceededException",
  });
