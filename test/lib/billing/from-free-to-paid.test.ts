import { afterEach, describe, expect, it, vi } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as cancelOwn } from "../../../functions/membership/cancel-subscription.ts";
import { handler as changeOwn } from "../../../functions/subscriptions/change-own.ts";
import { giveUp } from "../../../packages/stripe-stand-in/src/core/invoice-changes.ts";
import { expectExact, expectNothingOpen } from "../../support/money/checks.ts";
import { forMember } from "../../support/money/handlers.ts";
import { origin } from "../../support/money/people.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

/** A community with tiers of 10 and 25 dollars a month, and two free ones. */
const community = setUp(async () => {
  const first = await money.aPricedCommunity({ tier: { monthly_price_dollars: 10 } });
  const another = (over: object) => money.aPricedTier(first, over);
  return Object.assign(first, {
    big: await another({ name: "Reserva", monthly_price_dollars: 25 }),
    free: await another({ name: "Guest", monthly_price_dollars: 0 }),
    otherFree: await another({ name: "Friend", monthly_price_dollars: 0 }),
  });
});

/** Handlers whose clock is Stripe's, which has been moved. */
const moved = () => money.platform({ now: () => new Date(1000 * money.standIn.act((account) => account.now())) });

afterEach(async () => {
  vi.restoreAllMocks();
  await money.control("faults", { settle_days: 0, settle_as: "succeeded", after_retries: "canceled" });
});

const change = (member: StoredMember, body: object) =>
  money.call(changeOwn, { params: { community_id: community.id }, as: { id: member.user.id }, body }, moved());

const subscriptionOf = ({ stripe_subscription_id: id }: StoredMember) => money.stripe.subscriptions.retrieve(id ?? "");

const paidBy = async (member: StoredMember): Promise<number[]> =>
  (await money.stripe.invoices.list({ customer: member.stripe_customer_id ?? "" })).data
    .toReversed()
    .map(({ amount_paid }) => amount_paid);

describe("from a free tier to a paid one", () => {
  const aGuest = () => money.aSubscriber({ ...community, tier: community.free });
  const wanted = () => ({ tier_id: community.tier.id, return_url: `${origin}/account` });

  it("the page to return to is required, also to be refused before anything is done", async () => {
    const member = await aGuest();
    expect(await change(member, { tier_id: community.tier.id })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/return_url", code: "required" }] },
    });
    expect(await change(member, { ...wanted(), return_url: "https://elsewhere.example.com/" })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/return_url", code: "foreign_origin" }] },
    });
    expect((await change(member, { tier_id: community.tier.id, dry_run: true })).body).toMatchObject({
      status: "preview",
      charged_now_cents: 1000,
      next_charge_cents: 1000,
    });
  });

  it.each([
    ["without a key", {}, { status: 409, body: { code: "request_in_progress" } }],
    ["with a key", { "idempotency-key": "replaced" }, { status: 503, body: { code: "outcome_unknown" } }],
  ])(
    "a cancellation %s of the free subscription that a paid checkout replaces meanwhile is no success, and another one cancels the paid one",
    async (_, headers, refusal) => {
      const member = await aGuest();
      const { subscriptions } = money.stripe;
      const cancelAtStripe = subscriptions.cancel.bind(subscriptions);
      vi.spyOn(subscriptions, "cancel").mockImplementationOnce(async (...given: Parameters<typeof cancelAtStripe>) => {
        const { body } = await change(member, wanted());
        await money.complete(body?.url);
        await money.deliverAll();
        return cancelAtStripe(...given);
      });
      const cancelNow = (over: object) =>
        money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" }, ...over }, moved());
      expect(await cancelNow({ headers })).toMatchObject(refusal);
      expect(await money.memberNow(member)).toMatchObject({ status: "active", tier_id: community.tier.id });
      expect(await cancelNow({})).toMatchObject({ status: 200, body: { status: "canceled" } });
      await expectNothingOpen(money.table, member);
    },
  );

  it("if Stripe lets the change wait, the card is entered on the invoice's page", async () => {
    await money.control("faults", { pending_without_card: "pending" });
    const member = await aGuest();
    const { body } = await change(member, wanted());
    expect(body).toMatchObject({ status: "payment_required", charged_now_cents: 1000, membership: { price_cents: 0 } });
    await fetch(String(body?.url), { method: "POST", body: new URLSearchParams({ card: "paid" }) });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.tier.id, price_cents: 1000 });
    expect(await paidBy(member)).toEqual([0, 1000]);
    await money.control("advance", { days: 32 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ status: "active" });
    await money.control("faults", { pending_without_card: "refused" });
  });

  it("if Stripe refuses, a checkout replaces the free subscription, which ends once the new one is paid", async () => {
    const member = await aGuest();
    const { body } = await change(member, wanted());
    expect(body).toMatchObject({ status: "payment_required", charged_now_cents: 1000 });
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.free.id, status: "active" });
    await expectNothingOpen(money.table, member);
    await money.complete(body?.url);
    await money.deliverAll();
    const after = await money.memberNow(member);
    expect(after).toMatchObject({ tier_id: community.tier.id, price_cents: 1000, status: "active" });
    expect(after.stripe_subscription_id).not.toBe(member.stripe_subscription_id);
    expect((await subscriptionOf(member)).status).toBe("canceled");
    expect((await subscriptionOf(after)).status).toBe("active");
    expect(await paidBy(member)).toEqual([0, 1000]);
    expect(after.refunds).toEqual([]);
    await expectNothingOpen(money.table, member);
    await expectExact(money, member);
  });

  it("a free subscription stays until the one that replaces it is paid, also if that fails", async () => {
    const member = await aGuest();
    const { body } = await change(member, wanted());
    await money.control("faults", { settle_days: 4, settle_as: "failed" });
    await money.complete(body?.url);
    await money.deliverAll();
    const customer = member.stripe_customer_id ?? "";
    const [open] = (await money.stripe.invoices.list({ customer, status: "open" })).data;
    expect(open).toMatchObject({ amount_due: 1000, auto_advance: true });
    expect(await subscriptionOf(member)).toMatchObject({ status: "active" });
    await money.control("advance", { days: 60 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ status: "active", tier_id: community.free.id });
    expect((await money.chargesOf(customer)).filter(({ paid }) => paid)).toEqual([]);
  });

  /** A member whose bank debit for a paid tier has failed for good, so that the new subscription is unpaid. */
  async function aFailedReplacement() {
    const member = await aGuest();
    const { body } = await change(member, wanted());
    await money.control("faults", { settle_days: 3, settle_as: "failed", after_retries: "unpaid" });
    await money.complete(body?.url);
    await money.deliverAll();
    for (let n = 0; n < 6; n++) {
      await money.control("advance", { days: 5 });
      await money.deliverAll();
    }
    const customer = member.stripe_customer_id ?? "";
    const { data } = await money.stripe.subscriptions.list({ customer, status: "all" });
    expect(data.map(({ status }) => status)).toEqual(["unpaid", "active"]);
    return { member, customer, replacement: data[0] };
  }

  it("a member whose replacement is unpaid keeps access with the free subscription, until the replacement is paid", async () => {
    const { member, customer, replacement } = await aFailedReplacement();
    expect(await money.memberNow(member)).toMatchObject({ status: "active", tier_id: community.free.id });
    await money.control("faults", { settle_days: 0, settle_as: "succeeded" });
    const [open] = (await money.stripe.invoices.list({ customer, status: "open" })).data;
    await money.stripe.invoices.pay(open?.id ?? "");
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({
      status: "active",
      tier_id: community.tier.id,
      stripe_subscription_id: replacement?.id,
    });
    expect((await subscriptionOf(member)).status).toBe("canceled");
    await expectNothingOpen(money.table, member);
    await expectExact(money, member);
  });

  it("a free subscription stays if the invoice of the one that would replace it is marked uncollectible", async () => {
    const { member, customer } = await aFailedReplacement();
    const [open] = (await money.stripe.invoices.list({ customer, status: "open" })).data;
    money.standIn.act((account) => {
      const unpaid = account.get("invoice", open?.id);
      if (unpaid) giveUp(account, unpaid);
    });
    expect(await money.stripe.invoices.retrieve(open?.id ?? "")).toMatchObject({ status: "uncollectible" });
    await money.stripe.customers.update(customer, { name: "Ada" });
    await money.deliverAll();
    expect((await subscriptionOf(member)).status).toBe("active");
    expect(await money.memberNow(member)).toMatchObject({ status: "active", tier_id: community.free.id });
    await expectNothingOpen(money.table, member);
  });

  it("a change of the free subscription that a paid checkout replaces meanwhile is not charged", async () => {
    const member = await aGuest();
    const customer = member.stripe_customer_id ?? "";
    const { body } = await change(member, wanted());
    const { id: card } = await money.stripe.paymentMethods.attach("pm_card_visa", { customer });
    await money.stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
    await money.complete(body?.url);
    // The change has read the member, and asks Stripe for the sessions that are open.
    const [reached, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { sessions } = money.stripe.checkout;
    const list = sessions.list.bind(sessions);
    vi.spyOn(sessions, "list").mockImplementationOnce((...given) => {
      reached.resolve();
      const listed = mayGoOn.promise.then(() => list(...given));
      return listed as unknown as ReturnType<typeof list>;
    });
    const changing = change(member, wanted());
    await reached.promise;
    // The replacement is stored, and the free subscription is about to be canceled.
    const { subscriptions } = money.stripe;
    const cancel = subscriptions.cancel.bind(subscriptions);
    vi.spyOn(subscriptions, "cancel").mockImplementationOnce(async (...given: Parameters<typeof cancel>) => {
      mayGoOn.resolve();
      await changing;
      return cancel(...given);
    });
    await money.deliverAll();
    expect(await changing).toMatchObject({ status: 409 });
    await money.deliverAll();
    expect((await money.chargesOf(customer)).map(({ amount_captured }) => amount_captured)).toEqual([1000]);
    expect(await money.memberNow(member)).toMatchObject({ status: "active", tier_id: community.tier.id });
  });

  it("a free subscription that was paid for before is replaced without a refund", async () => {
    const member = await money.aSubscriber(community);
    await change(member, { tier_id: community.free.id });
    await money.control("advance", { days: 32 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.free.id, price_cents: 0 });
    const { body } = await change(member, wanted());
    // The card is known by now.
    expect(body).toMatchObject({ status: "changed", charged_now_cents: 1000 });
    expect(await paidBy(member)).toEqual([1000, 0, 1000]);
  });

  it.each<[string, (member: StoredMember) => Promise<unknown>]>([
    ["another change", (member) => change(member, { tier_id: community.otherFree.id })],
    [
      "a cancellation",
      (member) =>
        money.call(cancelOwn, { params: { community_id: community.id }, as: { id: member.user.id }, body: {} }),
    ],
  ])("%s expires the checkout", async (_, act) => {
    const member = await aGuest();
    const { body } = await change(member, wanted());
    await act(member);
    await money.complete(body?.url);
    await money.deliverAll();
    expect(await paidBy(member)).toEqual([0]);
  });

  it("without a card, is refused for a subscription with a discount, which the new one would not have", async () => {
    const member = await aGuest();
    const coupon = { percent_off: 50, duration: "forever" };
    await money.control(`subscriptions/${member.stripe_subscription_id}`, { coupon });
    const refused = { status: 409, body: { code: "subscription_not_managed" } };
    expect(await change(member, { ...wanted(), dry_run: true })).toMatchObject(refused);
    expect(await change(member, wanted())).toMatchObject(refused);
    await expectNothingOpen(money.table, member);
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.free.id });
  });

  it("the checkout of a member who is blocked meanwhile is refunded, and the free subscription stays", async () => {
    const member = await aGuest();
    const { body } = await change(member, wanted());
    await money.complete(body?.url);
    await money.call(block, forMember(member));
    await money.deliverAll();
    const after = await money.memberNow(member);
    expect(after).toMatchObject({ tier_id: community.free.id, is_blocked: true, total_refunded_cents: 1000 });
    await expectExact(money, member);
  });

  it("the checkout is refunded if the free subscription is not free any more", async () => {
    const member = await aGuest();
    const { body } = await change(member, wanted());
    const price = community.big.stripe_price_id;
    await money.control(`subscriptions/${member.stripe_subscription_id}`, { price });
    await money.deliverAll();
    await money.complete(body?.url);
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.big.id, total_refunded_cents: 1000 });
    await expectExact(money, member);
  });
});
