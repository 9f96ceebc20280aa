import { describe, expect, it } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as changeSubscription } from "../../../functions/subscriptions/change.ts";
import { handler as changeOwn } from "../../../functions/subscriptions/change-own.ts";
import { expectExact } from "../../support/money/checks.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

/** A community with tiers of 10, 25 and 5 dollars a month. */
const community = setUp(async () => {
  const first = await money.aPricedCommunity({ tier: { monthly_price_dollars: 10 } });
  const another = (monthly_price_dollars: number) => money.aPricedTier(first, { monthly_price_dollars });
  return { ...first, big: await another(25), small: await another(5) };
});

/** Handlers whose clock is Stripe's, which has been moved. */
const moved = () => money.platform({ now: () => new Date(1000 * money.standIn.act((account) => account.now())) });

const change = ({ user }: StoredMember, body: object) =>
  money.call(changeOwn, { params: { community_id: community.id }, as: { id: user.id }, body }, moved());

const invoicesOf = async ({ stripe_customer_id }: StoredMember) =>
  (await money.stripe.invoices.list({ customer: stripe_customer_id ?? "" })).data;

const latestOf = async (member: StoredMember) => {
  const [invoice] = await invoicesOf(member);
  if (!invoice) throw new Error("The member has no invoice");
  return invoice;
};

const renew = async () => {
  await money.control("advance", { days: 31 });
  await money.deliverAll();
};

/** A member who was renewed while the owner had paused the collection, which then continues. */
async function renewedDuring(behavior: "keep_as_draft" | "mark_uncollectible") {
  const member = await money.aSubscriber(community);
  const collect = (pause_collection: object | null) =>
    money.control(`subscriptions/${member.stripe_subscription_id}`, { pause_collection });
  await collect({ behavior });
  await renew();
  await collect(null);
  await money.deliverAll();
  return member;
}

/** Changes the latest invoice of a member at Stripe. */
async function changeLatest(member: StoredMember, over: object): Promise<void> {
  const { id } = await latestOf(member);
  money.standIn.act((account) => {
    const invoice = account.get("invoice", id);
    if (invoice) account.put("invoice", { ...invoice, ...over });
  });
}

const notManaged = { status: 409, body: { code: "subscription_not_managed" } };

describe("a period that is not paid, because collection was paused", () => {
  it.each([
    ["keep_as_draft", "draft"],
    ["mark_uncollectible", "uncollectible"],
  ] as const)(
    "a charged change and its preview are refused after a renewal during the pause %s, which leaves its invoice %s",
    async (behavior, status) => {
      const member = await renewedDuring(behavior);
      expect(await latestOf(member)).toMatchObject({ status });
      const before = await invoicesOf(member);
      for (const dry_run of [true, false])
        expect(await change(member, { tier_id: community.big.id, dry_run })).toMatchObject(notManaged);
      expect(await invoicesOf(member)).toEqual(before);
    },
  );

  it("a charged change is possible once the invoice of the period is paid, and not when it is only finalized", async () => {
    const member = await renewedDuring("keep_as_draft");
    const { id } = await latestOf(member);
    await money.stripe.invoices.finalizeInvoice(id, { auto_advance: false });
    expect(await change(member, { tier_id: community.big.id })).toMatchObject(notManaged);
    await money.stripe.invoices.pay(id);
    await money.deliverAll();
    expect(await change(member, { tier_id: community.big.id })).toMatchObject({
      status: 200,
      body: { status: "changed" },
    });
    await money.deliverAll();
    await expectExact(money, member);
  });

  it("a charged change is possible in the next period, which is paid", async () => {
    const member = await renewedDuring("keep_as_draft");
    await renew();
    expect(await change(member, { tier_id: community.big.id })).toMatchObject({ body: { status: "changed" } });
  });

  it("changes at the end of the period remain possible, for the member and for an owner", async () => {
    const member = await renewedDuring("keep_as_draft");
    expect(await change(member, { tier_id: community.small.id })).toMatchObject({ body: { status: "scheduled" } });
    const body = { tier_id: community.big.id };
    expect(await money.call(changeSubscription, { ...forMember(member), body }, moved())).toMatchObject({
      body: { status: "scheduled" },
    });
  });

  it.each(["draft", "open"])("a charged change is possible while Stripe collects the %s invoice", async (status) => {
    const member = await money.aSubscriber(community);
    await changeLatest(member, { status, auto_advance: true });
    expect(await change(member, { tier_id: community.big.id, dry_run: true })).toMatchObject({ status: 200 });
  });

  it("a charged change is possible from a free tier, whose period credits nothing", async () => {
    const free = await money.aPricedTier(community, { monthly_price_dollars: 0 });
    const member = await money.aSubscriber({ ...community, tier: free });
    await changeLatest(member, { status: "draft", auto_advance: false });
    expect(await change(member, { tier_id: community.big.id, dry_run: true })).toMatchObject({
      body: { charged_now_cents: 2500, credited_cents: 0 },
    });
  });

  it("a charged change is possible if the invoice is one of an earlier period", async () => {
    const member = await money.aSubscriber(community);
    await changeLatest(member, { status: "draft", auto_advance: false, created: 1 });
    expect(await change(member, { tier_id: community.big.id, dry_run: true })).toMatchObject({ status: 200 });
  });
});
