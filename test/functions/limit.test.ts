import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "#lib/ids.ts";
import { count } from "#lib/store/usage.ts";
import { handler as block } from "../../functions/members/block.ts";
import { handler as showMember } from "../../functions/members/show.ts";
import { handler as unblock } from "../../functions/members/unblock.ts";
import { type As, admin } from "../support/api.ts";
import { counted } from "../support/counting.ts";
import { invoke, startTable } from "../support/direct.ts";
import { aCommunity, aMember, type GivenCommunity } from "../support/given.ts";

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

const at = (time: string) => test.platform({ now: () => new Date(`2026-11-21T12:${time}.000Z`) });
const ask = (endpoint: typeof block, as: As = caller, time = "00:15") =>
  invoke(endpoint, at(time), { params: { community_id: community.id, id: member.id }, as });

/** As many requests as a caller has in a minute. */
async function useUp(): Promise<void> {
  for (let n = 0; n < 10; n++) for (const endpoint of [block, unblock]) expect((await ask(endpoint)).status).toBe(200);
}

describe("a caller", () => {
  it("does twenty such things a minute, over all routes, and is told when to go on", async () => {
    await useUp();
    expect(await ask(block)).toMatchObject({
      status: 429,
      headers: { "retry-after": "45" },
      body: { code: "too_many_requests" },
    });
    expect((await ask(block, caller, "00:59")).status).toBe(429);
    expect((await ask(block, caller, "01:00")).status).toBe(200);
  });

  it("takes nothing from another, and may still read", async () => {
    await useUp();
    expect((await ask(block)).status).toBe(429);
    expect((await ask(block, { ...admin, id: newId(new Date(), Math.random) })).status).toBe(200);
    expect((await ask(showMember)).status).toBe(200);
  });

  it("who has no right is told that first", async () => {
    await useUp();
    expect((await ask(block, { id: caller.id, groups: [] })).status).toBe(403);
  });
});

it("is exact, however many requests there are at once", async () => {
  const now = new Date();
  const otherwise = new Error("too many");
  const tries = Array.from({ length: 60 }, () => count(test.table, "somebody", { most: 20, now, otherwise }));
  const results = await Promise.allSettled(tries);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
  for (const result of results) if (result.status === "rejected") expect(result.reason).toBe(otherwise);
});

describe("the count", () => {
  it("costs one write, beside the guard, and no round trip", async () => {
    const counting = counted(test.client);
    await ask(block);
    const { roundTrips, calls } = counting.take();
    expect(calls.filter((call) => call.startsWith("Update"))).toHaveLength(1);
    expect(roundTrips).toBe(2);
  });

  it("lets through what cannot be counted, as while its part of the table is throttled", async () => {
    await useUp();
    test.client.middlewareStack.add(
      (next) => (args) => {
        if (JSON.stringify(args.input).includes("USAGE#")) throw throttled();
        return next(args);
      },
      { step: "initialize", name: "throttled" },
    );
    expect((await ask(block)).status).toBe(200);
    test.client.middlewareStack.remove("throttled");
    expect((await ask(block)).status).toBe(429);
  });
});

const throttled = (): Error =>
  Object.assign(new Error("Throughput exceeds the current capacity"), {
    name: "ProvisionedThroughputExceededException",
  });
