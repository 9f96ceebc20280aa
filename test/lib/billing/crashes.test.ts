import { describe, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as updateTier } from "../../../functions/tiers/update.ts";
import { fromNow, skipWaits } from "../../support/clock.ts";
import { atStripe, expectExact, expectNothingOpen } from "../../support/money/checks.ts";
import { crashAt } from "../../support/money/faults.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { keptOf } from "../../support/money/stripe.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

skipWaits();
const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

describe.each(["before", "after"] as const)("crashes %s one call", (moment) => {
  it.each(["at_period_end", "immediately"])(
    `a cancellation (%s) that crashes ${moment} any one of its calls is completed by a retry or by the schedule`,
    async (mode) => {
      for (let n = 1; ; n++) {
        const member = await money.aSubscriber(community);
        const request = {
          ...forMember(member),
          ...withKey(`cancel-${mode}-${n}`),
          body: { mode },
        };
        const crash = crashAt(n, moment);
        const first = await money.withFault(crash.fault, () => money.call(cancelSubscription, request));
        const isOver = crash.calls < n;
        const isRepeated = n % 2 === 0;
        if (isOver) expect(first).toMatchObject({ status: 200 });
        if (isRepeated) {
          const { status, body } = await money.call(cancelSubscription, request);
          expect({ n, status, code: body?.code }).toEqual({ n, status: 200, code: undefined });
          expect(await money.call(cancelSubscription, request)).toEqual({ status, body });
        }
        await money.reconcile(fromNow({ minutes: 10 }));

        const [subscription] = await money.subscriptionsOf(member.stripe_customer_id);
        const now = await money.memberNow(member);
        expect({ n, status: now.status, scheduled: now.cancel_at_period_end }).toEqual({
          n,
          status: subscription?.status,
          scheduled: subscription?.cancel_at_period_end === true && subscription.status !== "canceled",
        });
        const isCanceled = mode === "immediately" ? now.status === "canceled" : now.cancel_at_period_end;
        if (isOver || isRepeated) expect({ n, isCanceled }).toEqual({ n, isCanceled: true });
        await expectNothingOpen(money.table, member);
        if (isOver) break;
      }
    },
  );

  it(`a checkout that crashes ${moment} any one of its calls leaves one member who has paid once`, async () => {
    for (let n = 1; ; n++) {
      const began = new Date();
      const person = await money.aPerson();
      const crash = crashAt(n, moment);
      await money.withFault(crash.fault, async () => {
        const { body } = await money.openCheckout(community, person);
        if (body?.url) await money.complete(body.url);
        await deliver(person, began).catch(() => {});
      });
      const again = await money.openCheckout(community, person);
      if (again.status === 201) await money.complete(again.body?.url);
      await deliver(person, began);

      const item = await money.table.get(keys.customerOf(person.id, community.id));
      const member = await members.find(money.table, community.id, Number(item?.member_id));
      const live = (await money.subscriptionsOf(String(item?.customer_id))).filter(({ status }) => status === "active");
      expect({ n, status: member?.status, live: live.length }).toEqual({ n, status: "active", live: 1 });
      await expectPaidOnce(member);
      await expectNothingOpen(money.table, { id: Number(item?.member_id) });
      if (crash.calls < n) break;
    }
  });

  it(`a price change of a tier that crashes ${moment} any one of its calls creates one price at Stripe`, async () => {
    for (let n = 1; ; n++) {
      const { tier } = await money.aPricedCommunity();
      const request = { params: { id: tier.id }, body: { tier: { monthly_price_dollars: 40 } } };
      const crash = crashAt(n, moment);
      await money.withFault(crash.fault, () => money.call(updateTier, request));
      const { body } = await money.call(updateTier, request);

      const made: string[] = [];
      money.standIn.act((account) => {
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

/** Expects that all other payments were refunded. */
async function expectPaidOnce(member: StoredMember | undefined): Promise<void> {
  const kept = keptOf(await money.chargesOf(member?.stripe_customer_id ?? null));
  expect({ kept, stored: member?.lifetime_spend_cents }).toEqual({ kept: 2500, stored: 2500 });
}

describe.each(["before", "after"] as const)("crashes of a refund %s one of its calls", (moment) => {
  it.each(["a retry", "an event", "the schedule"])(
    `a refund that crashes ${moment} any one of its calls is created at most once, and %s completes its operation`,
    async (mender) => {
      /** Number of crashes before and after the refund at Stripe. */
      const crashes = { beforeRefund: 0, afterRefund: 0 };
      for (let n = 1; ; n++) {
        const member = await money.aSubscriber(community);
        const request = {
          ...forMember(member),
          ...withKey(`crash-${moment}-${mender}-${n}`),
          body: { amount_cents: 600 },
        };
        const crash = crashAt(n, moment);
        const first = await money.withFault(crash.fault, () => money.call(issueRefund, request));
        const isOver = crash.calls < n;
        if (isOver) expect(first).toMatchObject({ status: 201 });
        const made = (await atStripe(money, member)).refunds.map(({ id }) => id);
        if (!isOver) crashes[made.length > 0 ? "afterRefund" : "beforeRefund"]++;

        if (mender === "a retry") expect(await money.call(issueRefund, request)).toMatchObject({ status: 201 });
        if (mender === "an event") await money.deliverAll();
        await money.reconcile(fromNow({ minutes: 10 }));

        const { refunds } = await atStripe(money, member);
        expect(refunds.length, `refunds after a crash at call ${n}`).toBeLessThanOrEqual(1);
        if (made.length > 0) expect(refunds.map(({ id }) => id)).toEqual(made);
        if (mender === "a retry") expect(refunds).toHaveLength(1);
        await expectExact(money, member);
        await expectNothingOpen(money.table, member);
        if (isOver) break;
      }
      expect(crashes.beforeRefund).toBeGreaterThan(0);
      expect(crashes.afterRefund).toBeGreaterThan(0);
    },
  );
});
