import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { reconcile, type Step } from "#lib/billing/reconcile.ts";
import { billingOf } from "#lib/billing/stripe.ts";
import type { Item } from "#lib/store/expression.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as operations from "#lib/store/operations.ts";
import { connect } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { fromNow } from "../../support/clock.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

const lists = { due: keys.due("", 0, 0).pk, open: keys.openOperation("", "").pk, failed: keys.failed("", "").pk };

const rowsOf = async (list: keyof typeof lists): Promise<readonly Item[]> =>
  (await money.table.query({ pk: lists[list] })).items;

const rowsAbout = async ({ id }: StoredMember) => (await rowsOf("due")).filter(({ member_id }) => member_id === id);

/** Removes the rows of earlier tests. */
beforeEach(async () => {
  const left = [await rowsOf("due"), await rowsOf("open"), await rowsOf("failed")].flat();
  for (const { pk, sk } of left) await write(money.table, [{ delete: { pk: String(pk), sk: String(sk) } }]);
  for (const list of ["members", "operations", "events"] as const)
    await write(money.table, [{ delete: keys.progress(list) }]);
});

type Over = { now?: Date; left?: () => number; stripe?: Stripe };

/** One run of the schedule, with the rows that it checked. */
async function run({ now = new Date(), left = () => 60_000, stripe = money.stripe }: Over = {}) {
  const steps: Step[] = [];
  const billing = billingOf(async () => stripe)(() => 60_000);
  const table = connect(money.client, money.name, { ...money.table.runtime, now: () => now })();
  const report = await reconcile(
    { table, billing, now },
    { livemode: false, left, onStep: (step) => void steps.push(step) },
  );
  return { ...report, steps, names: steps.map(({ name }) => name) };
}

const minutes = 60_000;
const after = ({ current_period_end }: StoredMember, more = 1): Date =>
  new Date(Date.parse(current_period_end) + more * minutes);

/** Time of the first check of a member: the end of the period, but at most 30 days after its start. */
const firstLook = ({ current_period_start, current_period_end }: StoredMember): string => {
  const check = new Date(Date.parse(current_period_start) + 30 * 24 * 60 * minutes).toISOString();
  return check < current_period_end ? check : current_period_end;
};

let nextMember = 1;

/** An operation that can never complete, because its customer does not exist. `n` makes its id unique in a test. */
const lost = (n: number, created_at: string): Promise<void> =>
  operations.begin(money.table, {
    id: `op_lost_${n}`,
    community_id: 1,
    member_id: nextMember++,
    customer_id: "cus_nobody",
    actor_id: 1,
    request_id: null,
    intent: { kind: "uncancel", subscription_id: `sub_none_${nextMember}` },
    fingerprint: null,
    state: "open",
    created_at,
  });

describe("the due check of a member", () => {
  it("the due check of a member moves with their billing period and is deleted when the subscription ends", async () => {
    const member = await money.aSubscriber(community);
    expect(await rowsAbout(member)).toHaveLength(1);
    await money.control("advance", { days: 31 });
    await money.deliverAll();
    const renewed = await money.memberNow(member);
    expect(renewed.current_period_end > member.current_period_end).toBe(true);
    expect((await rowsAbout(member)).map(({ sk }) => String(sk).slice(0, 24))).toEqual([firstLook(renewed)]);

    await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
    expect(await rowsAbout(member)).toEqual([]);
  });

  it("the schedule checks a member only when the check is due", async () => {
    const member = await money.aSubscriber(community);
    const name = String(member.id);
    const at = Date.parse(firstLook(member));
    expect((await run({ now: new Date(at - minutes) })).names).not.toContain(name);
    expect((await run({ now: new Date(at + minutes) })).names).toContain(name);
  });

  it("the schedule checks a member every 30 days of a yearly period, so that a change without an event is found", async () => {
    const member = await money.aSubscriber(community);
    const year = Math.floor(Date.parse(member.current_period_start) / 1000) + 365 * 86_400;
    money.standIn.act((account) => {
      const subscription = account.get("subscription", member.stripe_subscription_id);
      if (!subscription) throw new Error("The member has no subscription");
      const data = subscription.items.data.map((item) => ({ ...item, current_period_end: year }));
      account.put("subscription", { ...subscription, items: { ...subscription.items, data } });
    });
    const days = (count: number) =>
      new Date(Date.parse(member.current_period_start) + count * 24 * 60 * minutes + minutes);
    const name = String(member.id);
    await money.stripe.subscriptions.update(member.stripe_subscription_id ?? "", { metadata: { note: "yearly" } });
    await money.deliverAll();
    expect(await rowsAbout(member)).toHaveLength(1);
    expect((await run({ now: days(29) })).names).not.toContain(name);
    expect((await run({ now: days(30) })).names).toContain(name);
    expect((await run({ now: days(59) })).names).not.toContain(name);
    await money.control("faults", { drop: true });
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    await money.control("faults", { drop: 0 });
    expect((await money.memberNow(member)).status).toBe("active");
    expect((await run({ now: days(60) })).names).toContain(name);
    expect((await money.memberNow(member)).status).toBe("canceled");
    expect(await rowsAbout(member)).toEqual([]);
  });

  it("the schedule announces the end of a trial once, 3 days before the trial ends", async () => {
    const tried = await money.aPricedCommunity({ tier: { trial_days: 14 } });
    const member = await money.aSubscriber(tried);
    expect(member.status).toBe("trialing");
    const ahead = new Date(Date.parse(member.trial_end ?? "") - 3 * 24 * 60 * minutes);
    expect((await run({ now: new Date(ahead.getTime() - minutes) })).names).not.toContain(String(member.id));
    expect((await run({ now: new Date(ahead.getTime() + minutes) })).names).toContain(String(member.id));
    const announced = await money.memberNow(member);
    expect(announced.trial_announced).toBe(member.trial_start);
    expect(announced.sync_version).toBe(member.sync_version + 1);
    expect((await rowsAbout(member)).map(({ sk }) => String(sk).slice(0, 24))).toEqual([member.current_period_end]);
    expect((await run({ now: new Date(ahead.getTime() + 2 * minutes) })).names).not.toContain(String(member.id));
  });

  it("the schedule announces the end of a trial of 2 days when the trial begins", async () => {
    const tried = await money.aPricedCommunity({ tier: { trial_days: 2 } });
    const member = await money.aSubscriber(tried);
    await run({ now: new Date(Date.parse(member.trial_start ?? "") + minutes) });
    expect((await money.memberNow(member)).trial_announced).toBe(member.trial_start);
  });

  it("the next check of a member whose period has ended without a new one at Stripe is postponed", async () => {
    const member = await money.aSubscriber(community);
    const name = String(member.id);
    expect((await run({ now: after(member) })).names).toContain(name);
    expect((await run({ now: after(member, 2) })).names).not.toContain(name);
    expect((await run({ now: after(member, 20) })).names).toContain(name);
    // Later by a day at most, however long the period has ended.
    const day = 24 * 60;
    for (const days of [20, 21, 22])
      expect((await run({ now: after(member, days * (day + 1)) })).names).toContain(name);
    expect(await rowsAbout(member)).toHaveLength(1);
  });
});

describe("a run of the schedule", () => {
  it("a run checks members if Stripe's events cannot be listed, and counts the events as unfinished", async () => {
    const member = await money.aSubscriber(community);
    const events = { list: () => Promise.reject(new Error("no events today")) };
    const stripe = new Proxy(money.stripe, {
      get: (real, name) => (name === "events" ? events : Reflect.get(real, name)) as unknown,
    });
    const { steps, unfinished } = await run({ now: after(member), stripe });
    expect(steps).toContainEqual({ source: "events", name: "all", failed: true });
    expect(steps).toContainEqual({ source: "members", name: String(member.id), failed: false });
    expect(unfinished).toBe(1);
  });

  it("one run finishes all tasks that come after 120 operations that always fail", async () => {
    for (let n = 1; n <= 120; n++) await lost(n, "2026-01-01T00:00:00.000Z");
    const member = await money.aSubscriber(community);
    await operations.begin(money.table, {
      id: "op_good",
      community_id: community.id,
      member_id: member.id,
      customer_id: member.stripe_customer_id ?? "",
      actor_id: 1,
      request_id: null,
      intent: {
        kind: "cancel",
        collected_invoice_ids: [],
        subscription_id: member.stripe_subscription_id ?? "",
        mode: "at_period_end",
        feedback: null,
        comment: null,
      },
      fingerprint: null,
      state: "open",
      created_at: "2026-01-02T00:00:00.000Z",
    });
    const first = await run();
    expect(first).toMatchObject({ failed: 120, unfinished: 120, set_aside: 0 });
    expect((await operations.find(money.table, member.id, "op_good"))?.state).toBe("done");
    expect(await rowsOf("open")).toEqual([]);
  });

  it("a task that keeps failing is retried with growing delays and finally counted as set aside", async () => {
    await lost(1, "2026-01-01T00:00:00.000Z");
    expect(await run()).toMatchObject({ failed: 1, unfinished: 1, set_aside: 0 });
    expect(await run({ now: fromNow({ minutes: 15 }) })).toMatchObject({ failed: 0, unfinished: 1 });
    for (let hours = 24; hours <= 7 * 24; hours += 24) await run({ now: fromNow({ hours }) });
    expect(await run({ now: fromNow({ hours: 7 * 24 + 23 }) })).toMatchObject({
      failed: 0,
      unfinished: 1,
      set_aside: 1,
    });
    expect(await run({ now: fromNow({ hours: 8 * 24 + 1 }) })).toMatchObject({
      failed: 1,
      unfinished: 1,
      set_aside: 1,
    });
  });

  it("a failed task is retried and removed once it succeeds", async () => {
    const member = await money.aSubscriber(community);
    const failing = await run({ now: after(member), stripe: money.unreachableStripe() });
    expect(failing.names).toContain(String(member.id));
    expect(await rowsAbout(member)).toEqual([]);
    expect(await rowsOf("failed")).toHaveLength(1);
    expect(await run({ now: after(member, 31) })).toMatchObject({ failed: 0, unfinished: 0 });
    expect(await rowsOf("failed")).toEqual([]);
  });

  it("a run resumes where the previous run stopped, and starts again at the beginning after the last row", async () => {
    for (let n = 1; n <= 60; n++) await lost(n, `2026-01-01T00:00:00.${String(n).padStart(3, "0")}Z`);
    let time = 1000;
    const looked: string[] = [];
    // 40 operations fit into their share of the time.
    const first = await run({ left: () => Math.max(1, (time -= 5)) });
    looked.push(...first.names.filter((name) => name.startsWith("op_lost")));
    expect(looked.length).toBeGreaterThan(4);
    expect(looked.length).toBeLessThan(60);
    expect(first.unfinished).toBe(looked.length);
    const second = await run();
    expect(second.names.filter((name) => name.startsWith("op_lost") && !looked.includes(name))).toHaveLength(
      60 - looked.length,
    );
    expect(await rowsOf("open")).toEqual([]);
  });

  it("a run that crashes at a row does not prevent the next run from reaching the rows after it", async () => {
    for (let n = 1; n <= 30; n++) await lost(n, `2026-01-01T00:00:00.${String(n).padStart(3, "0")}Z`);
    const dying = run({
      left: (() => {
        let asked = 0;
        return () => {
          if (asked++ > 2) throw new Error("killed");
          return 60_000;
        };
      })(),
    });
    await dying.catch(() => {});
    const names: string[] = (await run()).names.filter((name) => name.startsWith("op_lost"));
    expect(names.slice(0, 5).toSorted()).toEqual([26, 27, 28, 29, 30].map((n) => `op_lost_${n}`));
    expect(await rowsOf("open")).toEqual([]);
  });

  it("a run resumes an unfinished pass over Stripe's events, and the next pass lists only newer ones", async () => {
    const created = Math.floor(Date.now() / 1000) + 86_400;
    const all = Array.from({ length: 250 }, (_, n) => ({
      id: `evt_${n}`,
      created: created - n,
      type: "customer.updated",
      livemode: false,
      data: { object: { object: "customer", id: "cus_nobody" } },
    }));
    const asked: { starting_after?: string; created: { gte: number } }[] = [];
    const events = {
      list: async (query: (typeof asked)[number]) => {
        asked.push(query);
        const start = all.findIndex(({ id }) => id === query.starting_after) + 1;
        return { data: all.slice(start, start + 100), has_more: start + 100 < all.length };
      },
    };
    const stripe = new Proxy(money.stripe, {
      get: (real, name) => (name === "events" ? events : Reflect.get(real, name)) as unknown,
    });
    // The time runs out while the second page is read.
    const first = await run({ stripe, left: () => (asked.length > 1 ? 0 : 60_000) });
    expect(first.steps.filter(({ source }) => source === "events")).toHaveLength(100);
    const second = await run({ stripe });
    expect(second.names.filter((name) => name.startsWith("evt_"))).toEqual(
      expect.arrayContaining(all.slice(100).map(({ id }) => id)),
    );
    expect(second.names).not.toContain("evt_99");
    await run({ stripe });
    expect(asked.map(({ starting_after }) => starting_after)).toEqual([
      undefined,
      "evt_99",
      "evt_99",
      "evt_199",
      undefined,
      "evt_99",
      "evt_199",
    ]);
    expect(asked[4]?.created.gte).toBe(created - 600);
  });

  it("the first pass over Stripe's events begins four days before the first run, even if that run crashed before the pass", async () => {
    const since: number[] = [];
    const events = {
      list: async ({ created }: { created: { gte: number } }) => {
        since.push(created.gte);
        return { data: [], has_more: false };
      },
    };
    const stripe = new Proxy(money.stripe, {
      get: (real, name) => (name === "events" ? events : Reflect.get(real, name)) as unknown,
    });
    const killed = () => {
      throw new Error("killed");
    };
    await expect(run({ stripe, now: new Date("2026-03-05T00:00:00Z"), left: killed })).rejects.toThrow("killed");
    await run({ stripe, now: new Date("2026-03-20T00:00:00Z") });
    expect(since).toEqual([Date.parse("2026-03-01T00:00:00Z") / 1000]);
  });

  it("a missed event that fails is handled by a later run, also if its failure cannot be stored", async () => {
    const person = await money.aPerson();
    const { body } = await money.openCheckout(community, person);
    await money.complete(body?.url);
    const { data } = await money.stripe.events.list({ type: "checkout.session.completed", limit: 1 });
    const created = (data[0]?.created ?? 0) + 20 * 60;
    const other = { type: "customer.updated", livemode: false, data: { object: { object: "customer", id: "cus_no" } } };
    const all = [{ ...other, id: "evt_later", created }, ...data];
    const events = {
      list: async (query: { created: { gte: number } }) => ({
        data: all.filter((event) => event.created >= query.created.gte),
        has_more: false,
      }),
    };
    const stripe = new Proxy(money.stripe, {
      get: (real, name) => (name === "events" ? events : Reflect.get(real, name)) as unknown,
    });
    money.client.middlewareStack.add(
      (next, { commandName = "" }) =>
        async (args) => {
          const isFailure = commandName.startsWith("Put") && JSON.stringify(args.input).includes(lists.failed);
          if (isFailure || commandName.startsWith("TransactWrite"))
            throw Object.assign(new Error("slow down"), { name: "ProvisionedThroughputExceededException" });
          return next(args);
        },
      { step: "initialize", name: "throttling" },
    );
    const first = await run({ stripe }).finally(() => money.client.middlewareStack.remove("throttling"));
    expect(first).toMatchObject({ unfinished: 1 });
    await run({ stripe });
    const { member_id } = (await money.table.get(keys.customerOf(person.id, community.id))) ?? {};
    expect(await money.table.get(keys.member(community.id, Number(member_id)))).toMatchObject({ status: "active" });
  });

  it("a run that has no time left counts no task as unfinished", async () => {
    const member = await money.aSubscriber(community);
    expect(await run({ now: after(member), left: () => 0 })).toMatchObject({ failed: 0, unfinished: 0 });
  });
});
