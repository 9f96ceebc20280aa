import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it, vi } from "vitest";
import * as communities from "#lib/store/communities.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { type As, apiRoutes } from "../../support/api.ts";
import { fromNow, skipWaits } from "../../support/clock.ts";
import type { Call } from "../../support/direct.ts";
import { givenBy } from "../../support/given.ts";
import { deadAfter } from "../../support/money/faults.ts";
import { withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { difference, type Post, posts, tally } from "../../support/posts.ts";
import { setUp } from "../../support/set-up.ts";

skipWaits();
const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

const keyed = (call: Call, key: string = randomUUID()): Call => ({ ...call, ...withKey(key) });
const later = (seconds: number) => money.platform({ now: () => fromNow({ seconds }) });

/** The effect of work on the table and at Stripe. */
async function effectOf<T>(work: () => Promise<T>): Promise<{ effect: Record<string, number>; result: T }> {
  const before = await tally(money);
  const result = await work();
  return { effect: difference(before, await tally(money)), result };
}

const all = posts(money, () => community).map((post) => {
  const { method, path } = post.endpoint.route;
  return { ...post, name: `${method} ${path}` };
});

it("the idempotency tests cover every POST that needs a caller", () => {
  const taking = apiRoutes.filter(({ method, access }) => method === "POST" && access !== "public");
  expect(all.map(({ name }) => name).toSorted()).toEqual(taking.map(({ key }) => key).toSorted());
});

describe.each(all)("$name", ({ endpoint, given, otherBody, isOutside = false }) => {
  /** The effect of the request without failures. */
  let once: Record<string, number>;
  beforeAll(async () => {
    const call = await given();
    once = (await effectOf(() => money.answer(endpoint, call))).effect;
  });

  it("a repeated request has one effect, and returns the same response with Idempotency-Replayed", async () => {
    const call = keyed(await given());
    const { effect, result } = await effectOf(async () => [
      await money.answer(endpoint, call),
      await money.answer(endpoint, call),
    ]);
    const [first, second] = result;
    expect(second).toMatchObject({ status: first?.status, body: first?.body });
    for (const name of ["location", "etag", "content-type", "cache-control"])
      expect(second?.headers[name]).toBe(first?.headers[name]);
    expect([first, second].map((answer) => answer?.headers["idempotency-replayed"])).toEqual([undefined, "true"]);
    expect(first?.status).toBeLessThan(300);
    expect(effect).toEqual(once);
    expect(Object.keys(effect).length === 0).toBe(isOutside);
  });

  it("an Idempotency-Key is refused with another body, and can be used by another caller", async () => {
    const call = keyed(await given());
    await money.answer(endpoint, call);
    expect(await money.answer(endpoint, { ...call, body: otherBody })).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
    const other = await money.answer(endpoint, { ...call, as: { id: 98, groups: ["admin"] } });
    expect(other.headers["idempotency-replayed"]).toBeUndefined();
  });

  it("fifty concurrent requests with one key have one effect; the others are replayed or request_in_progress", async () => {
    const call = keyed(await given());
    const { effect, result } = await effectOf(() =>
      Promise.all(Array.from({ length: 50 }, () => money.answer(endpoint, call))),
    );
    const done = result.filter(({ status = 0 }) => status < 300);
    expect(new Set(done.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    for (const { body, headers } of result.filter(({ status = 0 }) => status >= 300))
      expect([body?.code, headers["retry-after"]]).toEqual(["request_in_progress", expect.stringMatching(/^\d+$/)]);
    expect(effect).toEqual(once);
  });

  it("a request that crashes after any of its calls is completed by a retry, with one effect", async () => {
    // The crashes of an erasure after each of its many calls are tested in test/lib/person/crashes.test.ts.
    for (let n = 0; ; n += n < 20 ? 1 : 5) {
      const call = keyed(await given());
      const { effect, result } = await effectOf(async () => {
        const dead = await money.withFault(deadAfter(n), () => money.answer(endpoint, call));
        const soon = await money.answer(endpoint, call);
        const retried = await money.answer(endpoint, call, later(61));
        const again = await money.answer(endpoint, call, later(62));
        return { dead, soon, retried, again };
      });
      const { dead, soon, retried, again } = result;
      expect(retried.status, `status of the repetition after ${n} calls`).toBeLessThan(300);
      expect([retried.status, "request_in_progress"]).toContain(
        soon.status === retried.status ? soon.status : soon.body?.code,
      );
      expect({ n, status: again.status, effect }).toEqual({ n, status: retried.status, effect: once });
      expect(again.body).toEqual(retried.body);
      if ((dead.status ?? 500) >= 300) continue;
      expect(retried.body).toEqual(dead.body);
      expect(soon.headers["idempotency-replayed"], "whatever is answered was stored before").toBe("true");
      break;
    }
  });
});

describe("a stored response", () => {
  const created = () => all.find(({ name }) => name.endsWith("/benefits")) as Post;
  const owner = (): As => community.owner;

  it("a stored response is not returned to a caller who has lost access", async () => {
    const { endpoint, given } = created();
    const other = await money.aPricedCommunity();
    const call = {
      ...keyed(await given()),
      params: { community_id: other.id },
      body: { benefit: { name: "X" } },
    };
    expect((await money.answer(endpoint, { ...call, as: other.owner })).status).toBe(201);
    await communities.update(
      money.table,
      await communities.open(money.table, other.id),
      { owner_id: owner().id },
      givenBy(),
    );
    expect(await money.answer(endpoint, { ...call, as: other.owner })).toMatchObject({ status: 403 });
  });

  it("a stored response is kept for 24 hours", async () => {
    const { endpoint, given } = created();
    const call = keyed(await given());
    await money.answer(endpoint, call);
    const replayedAfter = async (hours: number) => {
      vi.useFakeTimers({ now: Date.now() + hours * 3600_000, toFake: ["Date"] });
      const { headers } = await money.answer(endpoint, call).finally(vi.useRealTimers);
      return headers["idempotency-replayed"];
    };
    expect([await replayedAfter(23.9), await replayedAfter(24.1)]).toEqual(["true", undefined]);
  });

  it("no response is stored for a request that was refused before it had an effect", async () => {
    const { endpoint, given } = created();
    const call = keyed(await given());
    expect((await money.answer(endpoint, { ...call, body: { benefit: {} } })).status).toBe(422);
    expect((await money.answer(endpoint, call)).status).toBe(201);
  });

  it.each(["", "x".repeat(256), "clé", "tab\t"])("an invalid Idempotency-Key is refused: %j", async (key) => {
    const { endpoint, given } = created();
    expect(await money.answer(endpoint, keyed(await given(), key))).toMatchObject({
      status: 422,
      body: { code: "validation_failed" },
    });
  });

  it("the response to a request that was refused after it had an effect is stored", async () => {
    const member = await money.aSubscriber(community);
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    const call = keyed({ params: { community_id: community.id, id: member.id }, body: { mode: "immediately" } });
    // Later than the maximum clock skew: a subscription that ended shortly before could have been ended by the request.
    const wellAfter = later(60);
    const first = await money.answer(cancelSubscription, call, wellAfter);
    expect(first).toMatchObject({ status: 409, body: { code: "subscription_already_canceled" } });
    expect(await money.answer(cancelSubscription, call, wellAfter)).toMatchObject({
      status: 409,
      body: first.body,
      headers: { "idempotency-replayed": "true", "content-type": "application/problem+json" },
    });
  });
});
