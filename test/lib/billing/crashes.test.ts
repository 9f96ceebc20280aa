import { beforeAll, describe, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as updateTier } from "../../../functions/tiers/update.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

let community: GivenCommunity;
beforeAll(async () => {
  community = await money.aPricedCommunity();
});

class Crash extends Error {}

/** Fails at the n-th call that leaves the process, before or after it has had its effect. */
function crashAt(n: number, moment: "before" | "after") {
  const counter = {
    calls: 0,
    by: (at: "before" | "after"): void => {
      if (at === moment && ++counter.calls === n) throw new Crash();
    },
  };
  return counter;
}

const later = () => new Date(Date.now() + 10 * 60_000);

async function expectNothingOpen(memberId: number): Promise<void> {
  const { items } = await money.table.query({ pk: "OPERATIONS" });
  expect(items.filter(({ member_id }) => member_id === memberId)).toEqual([]);
}

async function subscriptionsOf(customer: string | null) {
  const { data } = await money.stripe.subscriptions.list({ customer: customer ?? "", status: "all" });
  return data;
}

describe.each(["before", "after"] as const)("a crash %s any one call", (moment) => {
  it.each(["at_period_end", "immediately"])(
    "of a cancellation (%s) is mended by the same request or the schedule",
    async (mode) => {
      for (let n = 1; ; n++) {
        const member = await money.aSubscriber(community);
        const request = {
          params: { community_id: community.id, id: member.id },
          body: { mode },
          headers: { "idempotency-key": `cancel-${mode}-${n}` },
        };
        const crash = crashAt(n, moment);
        await money.troubled(crash.by, () => money.call(cancelSubscription, request));
        if (n % 2 === 0) await money.call(cancelSubscription, request);
        await money.reconcile(later());

        const [subscription] = await subscriptionsOf(member.stripe_customer_id);
        const now = await money.memberNow(member);
        expect({ n, status: now.status, scheduled: now.cancel_at_period_end }).toEqual({
          n,
          status: subscription?.status,
          scheduled: subscription?.cancel_at_period_end === true && subscription.status !== "canceled",
        });
        await expectNothingOpen(member.id);
        if (crash.calls < n) break;
      }
    },
  );

  it("of a checkout, from opening to the last event, leaves one customer and one member", async () => {
    for (let n = 1; ; n++) {
      const began = new Date();
      const person = await money.aPerson();
      const crash = crashAt(n, moment);
      await money.troubled(crash.by, async () => {
        const { body } = await money.openCheckout(community, person);
        if (body?.url) await money.complete(body.url);
        await deliver(person, began).catch(() => {});
      });
      const again = await money.openCheckout(community, person);
      if (again.status === 201) await money.complete(again.body?.url);
      await deliver(person, began);

      const item = await money.table.get(keys.customerOf(person.id, community.id));
      const member = await members.find(money.table, community.id, Number(item?.member_id));
      const live = (await subscriptionsOf(String(item?.customer_id))).filter(({ status }) => status === "active");
      expect({ n, status: member?.status, live: live.length }).toEqual({ n, status: "active", live: 1 });
      await expectPaidOnce(member);
      await expectNothingOpen(Number(item?.member_id));
      if (crash.calls < n) break;
    }
  });

  it("of a new price for a tier leaves one price at Stripe", async () => {
    for (let n = 1; ; n++) {
      const { tier } = await money.aPricedCommunity();
      const request = { params: { id: tier.id }, body: { tier: { monthly_price_dollars: 40 } } };
      const crash = crashAt(n, moment);
      await money.troubled(crash.by, () => money.call(updateTier, request));
      const { body } = await money.call(updateTier, request);

      const made: string[] = [];
      money.fake.act((account) => {
        for (const { id, product, unit_amount } of account.rows("price"))
          if (product === `odis_tier_${tier.id}` && unit_amount === 4000) made.push(id);
      });
      expect({ n, made }).toEqual({ n, made: [body?.stripe_price_id] });
      if (crash.calls < n) break;
    }
  });
});

async function deliver(person: { id: number }, since: Date): Promise<void> {
  const item = await money.table.get(keys.customerOf(person.id, community.id));
  if (typeof item?.customer_id === "string") await money.redeliver(item.customer_id, since);
}

/** Whatever else was paid on the way has been given back. */
async function expectPaidOnce(member: StoredMember | undefined): Promise<void> {
  const { data } = await money.stripe.charges.list({ customer: member?.stripe_customer_id ?? "" });
  const kept = data.reduce((sum, { amount_captured, amount_refunded }) => sum + amount_captured - amount_refunded, 0);
  expect({ kept, stored: member?.lifetime_spend_cents }).toEqual({ kept: 2500, stored: 2500 });
}
