import * as fc from "fast-check";
import type Stripe from "stripe";
import { beforeAll, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as uncancelSubscription } from "../../../functions/members/uncancel-subscription.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

/** `npm run test:money` runs 300. */
const histories = Number(process.env.MONEY_HISTORIES ?? 50);

type Act =
  | { readonly do: "join" | "cancel" | "end" | "uncancel" | "move" | "dispute" | "deliver" }
  | { readonly do: "pass"; readonly days: number; readonly decline: boolean }
  | { readonly do: "refund"; readonly amount: number; readonly status: "succeeded" | "pending" }
  | { readonly do: "dashboard refund"; readonly amount: number }
  | { readonly do: "settle"; readonly status: "failed" | "succeeded" };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...(["join", "cancel", "end", "uncancel", "move", "dispute"] as const))
      .map((name) => ({ do: name })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      days: fc.integer({ min: 1, max: 40 }),
      decline: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("refund" as const),
      amount: fc.integer({ min: 1, max: 3000 }),
      status: fc.constantFrom("succeeded" as const, "pending" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("dashboard refund" as const), amount: fc.integer({ min: 1, max: 3000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      status: fc.constantFrom("failed" as const, "succeeded" as const),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: "deliver" as const }) },
);

/** How events arrive: in which order, which of them twice, and which not at all. */
const weather = fc.record({
  order: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  twice: fc.infiniteStream(fc.boolean()),
  lost: fc.infiniteStream(fc.integer({ min: 0, max: 9 }).map((n) => n === 0)),
});

let community: GivenCommunity;
let dearer: string;
beforeAll(async () => {
  community = await money.aPricedCommunity();
  const { product } = await money.stripe.prices.retrieve(community.tier.stripe_price_id ?? "");
  dearer = (
    await money.stripe.prices.create({
      product: typeof product === "string" ? product : product.id,
      currency: "usd",
      unit_amount: 4000,
      recurring: { interval: "month" },
      metadata: { tier_id: String(community.tier.id) },
    })
  ).id;
});

it("after any history of actions and any order, repetition or loss of events, every member is as Stripe has it", async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 16 }), weather, async (acts, { order, twice, lost }) => {
      const person = await money.aPerson();
      let seen = await money.lastEvent();
      const waiting: Stripe.Event[] = [];

      const deliver = async (events: readonly Stripe.Event[]) => {
        const shuffled = events
          .map((event) => ({ event, at: order.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .flatMap(({ event }) => (twice.next().value ? [event, event] : [event]));
        const statuses = await Promise.all(shuffled.map((event) => money.deliver(event)));
        expect(new Set(statuses)).toEqual(new Set(statuses.length > 0 ? [200] : []));
      };
      const gather = async () => {
        for (const event of await money.eventsSince(seen)) {
          seen = event.id;
          if (!lost.next().value) waiting.push(event);
        }
      };

      await join(person);
      for (const step of acts) {
        await perform(step, person, async () => {
          await gather();
          await deliver(waiting.splice(0));
        });
        await gather();
      }
      await deliver(waiting.splice(0));

      // What was lost is found by the schedule, once the period that the record knows of is over.
      const stored = await memberOf(person);
      if (stored) {
        await money.reconcile(new Date(Date.parse(stored.current_period_end) + 60_000));
        await expectAsAtStripe(stored);
        compared++;
        await leave(stored);
      }
    }),
    { numRuns: histories },
  );
  expect(compared).toBeGreaterThan(histories / 2);
}, 600_000);

async function memberOf({ id }: { id: number }): Promise<StoredMember | undefined> {
  const item = await money.table.get(keys.customerOf(id, community.id));
  return item && members.find(money.table, community.id, Number(item.member_id));
}

async function join(person: { id: number }): Promise<void> {
  const { status, body } = await money.openCheckout(community, person);
  if (status === 201) await money.complete(body?.url);
}

async function perform(step: Act, person: { id: number }, deliver: () => Promise<void>): Promise<void> {
  const member = await memberOf(person);
  const of = { params: { community_id: community.id, id: member?.id ?? 1 } };
  const control = (path: string, body: object) => money.control(path, body);
  switch (step.do) {
    case "join":
      return join(person);
    case "deliver":
      return deliver();
    case "pass":
      await control("faults", { decline: step.decline ? 1 : 0 });
      await control("advance", { days: step.days });
      return control("faults", { decline: 0 });
    case "cancel":
      return void (await money.call(cancelSubscription, of));
    case "end":
      return void (await money.call(cancelSubscription, { ...of, body: { mode: "immediately" } }));
    case "uncancel":
      return void (await money.call(uncancelSubscription, of));
    case "refund":
      await control("faults", { refund_status: step.status });
      await money.call(issueRefund, { ...of, body: { amount_cents: step.amount } });
      return control("faults", { refund_status: "succeeded" });
    case "dashboard refund":
    case "dispute":
    case "move":
    case "settle":
      return member && atStripe(step, member, control);
    default:
      return step satisfies never;
  }
}

/** What happens at Stripe itself: in the dashboard, at the bank. What cannot be is refused there, which is fine. */
async function atStripe(
  step: Act,
  { stripe_customer_id, stripe_subscription_id }: StoredMember,
  control: (path: string, body: object) => Promise<void>,
): Promise<void> {
  const data = await money.chargesOf(stripe_customer_id);
  const paid = data.find(({ status }) => status === "succeeded")?.id;
  if (step.do === "dashboard refund") return control("refund", { charge: paid, amount: step.amount });
  if (step.do === "dispute") return control("disputes", { charge: paid });
  if (step.do === "settle")
    return control(`refunds/${data.flatMap(({ refunds }) => refunds?.data ?? [])[0]?.id}`, { status: step.status });
  if (step.do !== "move" || !stripe_subscription_id) return;
  const { items, status } = await money.stripe.subscriptions.retrieve(stripe_subscription_id);
  if (status === "canceled") return;
  await money.stripe.subscriptions.update(stripe_subscription_id, {
    items: [{ id: items.data[0]?.id, price: dearer }],
    proration_behavior: "none",
  });
}

const names: Record<string, string> = { incomplete_expired: "canceled", paused: "unpaid" };

/** Computed anew from what Stripe answers, by none of the code that is tested. */
async function expectAsAtStripe(stored: StoredMember): Promise<void> {
  const member = await money.memberNow(stored);
  const subscriptions = await money.subscriptionsOf(member.stripe_customer_id);
  const subscription = subscriptions.find(({ id }) => id === member.stripe_subscription_id);
  expect(names[subscription?.status ?? ""] ?? subscription?.status).toBe(member.status);
  expect(new Date((subscription?.items.data[0]?.current_period_end ?? 0) * 1000).toISOString()).toBe(
    member.current_period_end,
  );
  const isScheduled = Boolean(subscription?.cancel_at_period_end) || subscription?.cancel_at !== null;
  expect(member.cancel_at_period_end).toBe(isScheduled && subscription?.ended_at === null);
  const live = subscriptions.filter(({ status }) => ["active", "trialing", "past_due", "unpaid"].includes(status));
  expect(live.length).toBeLessThanOrEqual(1);

  const charges = await money.chargesOf(member.stripe_customer_id);
  const paid = charges.reduce((sum, { amount_captured }) => sum + amount_captured, 0);
  const refunds = charges.flatMap((charge) => charge.refunds?.data ?? []);
  const refunded = refunds.reduce(
    (sum, { status, amount }) => sum + (status === "failed" || status === "canceled" ? 0 : amount),
    0,
  );
  expect({ spent: member.lifetime_spend_cents, refunded: member.total_refunded_cents }).toEqual({
    spent: paid - refunded,
    refunded,
  });
  expect(refunded).toBeLessThanOrEqual(paid);
  const sorted = (entries: readonly { id: string; status: string | null; amount: number }[]) =>
    entries.map(({ id, status, amount }) => `${id} ${status} ${amount}`).toSorted();
  expect(
    sorted(member.refunds.map((entry) => ({ id: entry.refund_id, status: entry.status, amount: entry.amount_cents }))),
  ).toEqual(sorted(refunds));
}

/** Ends what the history left, so that time passing in the next one does not go on in this one. */
async function leave({ stripe_customer_id }: StoredMember): Promise<void> {
  for (const { id, status } of await money.subscriptionsOf(stripe_customer_id))
    if (status !== "canceled" && status !== "incomplete_expired") await money.stripe.subscriptions.cancel(id);
  await money.deliverAll();
}
