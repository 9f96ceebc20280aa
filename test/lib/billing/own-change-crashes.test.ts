import { describe, expect, it } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as changeOwn } from "../../../functions/subscriptions/change-own.ts";
import { fromNow, skipWaits } from "../../support/clock.ts";
import { expectExact, expectNothingOpen } from "../../support/money/checks.ts";
import { crashAt } from "../../support/money/faults.ts";
import { withKey } from "../../support/money/handlers.ts";
import { origin } from "../../support/money/people.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

skipWaits();
const money = startMoney();

/** A community with tiers of 10 and 25 dollars a month, and a free one. */
const community = setUp(async () => {
  const first = await money.aPricedCommunity({ tier: { monthly_price_dollars: 10 } });
  const another = (over: object) => money.aPricedTier(first, over);
  return Object.assign(first, {
    big: await another({ name: "Reserva", monthly_price_dollars: 25 }),
    free: await another({ name: "Guest", monthly_price_dollars: 0 }),
  });
});

const change = (member: StoredMember, body: object, over: object = {}) =>
  money.call(changeOwn, { params: { community_id: community.id }, as: { id: member.user.id }, body, ...over });

const toBig = (member: StoredMember, over: object = {}) => change(member, { tier_id: community.big.id }, over);

const invoicesOf = async (member: StoredMember) =>
  (await money.stripe.invoices.list({ customer: member.stripe_customer_id ?? "" })).data.toReversed();

const priceAtStripe = async ({ stripe_subscription_id: id }: StoredMember) =>
  (await money.stripe.subscriptions.retrieve(id ?? "")).items.data[0]?.price.id;

describe.each(["before", "after"] as const)("a charged change that crashes %s any one of its calls", (moment) => {
  it("ends changed and charged once, or not at all, and a retry of the request completes it", async () => {
    for (let n = 1; ; n++) {
      const member = await money.aSubscriber(community);
      const key = withKey(`charge-${moment}-${n}`);
      const crash = crashAt(n, moment);
      await money.withFault(crash.fault, () => toBig(member, key));
      const isOver = crash.calls < n;
      const isRepeated = n % 2 === 0;
      if (isRepeated) {
        const again = await toBig(member, key);
        expect({ n, ...again }).toMatchObject({ n, status: 200, body: { status: "changed" } });
        expect(await toBig(member, key)).toEqual(again);
      }
      await money.reconcile(fromNow({ minutes: 10 }));
      await money.deliverAll();
      const { tier_id } = await money.memberNow(member);
      const isChanged = tier_id === community.big.id;
      if (isOver || isRepeated) expect({ n, isChanged }).toEqual({ n, isChanged: true });
      expect({ n, price: await priceAtStripe(member) }).toEqual({
        n,
        price: isChanged ? community.big.stripe_price_id : community.tier.stripe_price_id,
      });
      expect({ n, invoices: (await invoicesOf(member)).map(({ status }) => status) }).toEqual({
        n,
        invoices: isChanged ? ["paid", "paid"] : ["paid"],
      });
      await expectExact(money, member);
      await expectNothingOpen(money.table, member);
      if (isOver) break;
    }
  });

  it("and whose card is declined waits for one payment, or is not made at all", async () => {
    for (let n = 1; ; n++) {
      const member = await money.aSubscriber(community);
      const key = withKey(`declined-${moment}-${n}`);
      const crash = crashAt(n, moment);
      await money.control("faults", { decline: 1 });
      await money.withFault(crash.fault, () => toBig(member, key));
      const isOver = crash.calls < n;
      await money.reconcile(fromNow({ minutes: 10 }));
      await money.control("faults", { decline: 0 });
      const open = (await invoicesOf(member)).filter(({ status }) => status === "open");
      expect({ n, open: open.length <= 1 }).toEqual({ n, open: true });
      const { pending_update } = await money.stripe.subscriptions.retrieve(member.stripe_subscription_id ?? "");
      expect({ n, isPending: pending_update !== null }).toEqual({ n, isPending: open.length === 1 });
      const again = await toBig(member, key);
      if (open.length === 1)
        expect({ n, ...again }).toMatchObject({
          n,
          status: 200,
          body: { status: "payment_required", url: open[0]?.hosted_invoice_url },
        });
      await expectNothingOpen(money.table, member);
      if (isOver) break;
    }
  });
});

describe("a checkout that replaces a free subscription", () => {
  const aGuest = () => money.aSubscriber({ ...community, tier: community.free });
  const wanted = () => ({ tier_id: community.tier.id, return_url: `${origin}/account` });

  it.each(["before", "after"] as const)(
    "is completed by a retry of a request that crashes %s any of its calls",
    async (moment) => {
      for (let n = 1; ; n++) {
        const member = await aGuest();
        const key = withKey(`replace-${moment}-${n}`);
        const crash = crashAt(n, moment);
        await money.withFault(crash.fault, () => change(member, wanted(), key));
        const { status, body } = await change(member, wanted(), key);
        expect({ n, status, body }).toMatchObject({ n, status: 200, body: { status: "payment_required" } });
        await money.complete(body?.url);
        await money.deliverAll();
        expect({ n, ...(await money.memberNow(member)) }).toMatchObject({ n, tier_id: community.tier.id });
        await expectNothingOpen(money.table, member);
        if (crash.calls < n) break;
      }
    },
  );

  it.each(["before", "after"] as const)(
    "a synchronization that crashes %s any of its calls ends the free subscription later",
    async (moment) => {
      for (let n = 1; ; n++) {
        const member = await aGuest();
        const { body } = await change(member, wanted());
        await money.complete(body?.url);
        const crash = crashAt(n, moment);
        await money.withFault(crash.fault, () => money.deliverAll().catch(() => {}));
        await money.deliverAll();
        await money.reconcile(fromNow({ minutes: 20 }));
        const subscriptions = await money.subscriptionsOf(member.stripe_customer_id);
        expect({ n, statuses: subscriptions.map(({ status }) => status).toSorted() }).toEqual({
          n,
          statuses: ["active", "canceled"],
        });
        expect({ n, ...(await money.memberNow(member)) }).toMatchObject({ n, tier_id: community.tier.id, refunds: [] });
        await expectNothingOpen(money.table, member);
        if (crash.calls < n) break;
      }
    },
  );
});
