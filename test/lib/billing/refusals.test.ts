import { describe, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import { keyOf, type StoredMember } from "#lib/store/members/item.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import { write } from "#lib/store/write.ts";
import { handler as createPortalSession } from "../../../functions/checkout/create-portal-session.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as refundCharge } from "../../../functions/members/refund-charge.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { handler as uncancelSubscription } from "../../../functions/members/uncancel-subscription.ts";
import { handler as updateMember } from "../../../functions/members/update.ts";
import { useLocalStripe } from "../../../packages/stripe-stand-in/test/local.ts";
import { fromNow } from "../../support/clock.ts";
import { anAddress } from "../../support/given.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

const chargesOf = ({ stripe_customer_id }: StoredMember) => money.chargesOf(stripe_customer_id);

const refundedOf = async (member: StoredMember): Promise<number[]> =>
  (await chargesOf(member)).map(({ amount_refunded }) => amount_refunded);

describe("a refused refund that is repeated with its Idempotency-Key", () => {
  it("a retry of a refused refund never refunds another charge, however late it is sent", async () => {
    const member = await money.aSubscriber(community);
    const request = { ...forMember(member), ...withKey("disputed") };
    await money.control("disputes", { charge: (await chargesOf(member))[0]?.id });
    expect(await money.call(issueRefund, request)).toMatchObject({ status: 409, body: { code: "charge_disputed" } });

    await money.control("advance", { days: 31 });
    await money.deliverAll();
    for (const now of [new Date(), fromNow({ hours: 1 }), fromNow({ hours: 25 })]) {
      const on = money.platform({ now: () => now });
      expect(await money.call(issueRefund, request, on)).toMatchObject({ body: { code: "charge_disputed" } });
      await expectNothingOpen(money.table, member);
      await money.reconcile(fromNow({ hours: 26 }));
    }
    expect(await refundedOf(member)).toEqual([0, 0]);
  });

  it("a retry of a refused refund calls Stripe again and succeeds once the reason is gone", async () => {
    const member = await money.aSubscriber(community);
    const request = { ...forMember(member), body: { amount_cents: 700 }, ...withKey("won") };
    const charge = (await chargesOf(member))[0]?.id;
    await money.control("disputes", { charge });
    expect(await money.call(issueRefund, request)).toMatchObject({ body: { code: "charge_disputed" } });
    expect(await money.call(issueRefund, request)).toMatchObject({ body: { code: "charge_disputed" } });
    await money.control("disputes", { charge, status: "won" });

    expect(await money.call(issueRefund, request)).toMatchObject({
      status: 201,
      body: { refund: { charge_id: charge } },
    });
    expect(await money.call(issueRefund, request)).toMatchObject({ status: 201 });
    expect(await refundedOf(member)).toEqual([700]);
    await expectNothingOpen(money.table, member);
  });

  it("a retry of a refused refund uses the amount of the first attempt", async () => {
    const member = await money.aSubscriber(community);
    const charge = (await chargesOf(member))[0]?.id;
    await money.control("refuse", { code: "balance_insufficient" });
    const request = { ...forMember(member), ...withKey("amount") };
    expect(await money.call(issueRefund, request)).toMatchObject({ status: 409 });
    await money.control("refund", { charge, amount: 400 });
    expect(await money.call(issueRefund, request)).toMatchObject({
      status: 422,
      body: { code: "amount_exceeds_refundable", refundable_cents: 2100 },
    });
    expect(await refundedOf(member)).toEqual([400]);
  });

  it("a refused refund does not prevent other refunds of its charge", async () => {
    const member = await money.aSubscriber(community);
    await money.control("refuse", { code: "balance_insufficient" });
    expect(await money.call(issueRefund, { ...forMember(member), ...withKey("free") })).toMatchObject({ status: 409 });
    await expectNothingOpen(money.table, member);
    expect(await money.call(issueRefund, { ...forMember(member), body: { amount_cents: 100 } })).toMatchObject({
      status: 201,
    });
  });

  it("the Idempotency-Key of a refused refund cannot be used with another body", async () => {
    const member = await money.aSubscriber(community);
    await money.control("refuse", { code: "balance_insufficient" });
    await money.call(issueRefund, { ...forMember(member), ...withKey("body") });
    const other = { ...forMember(member), ...withKey("body"), body: { amount_cents: 1 } };
    expect(await money.call(issueRefund, other)).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
  });
});

describe("a refusal with a code of Stripe's", () => {
  const refused = { status: 409, body: { code: "payment_processor_refused", processor_code: "balance_insufficient" } };

  it.each([
    ["issue_refund", issueRefund, {}],
    ["cancel_subscription at period end", cancelSubscription, {}],
    ["cancel_subscription immediately", cancelSubscription, { mode: "immediately" }],
  ])(
    "%s that Stripe refuses returns 409 with Stripe's code, changes nothing, and succeeds when it is retried",
    async (name, route, body) => {
      const member = await money.aSubscriber(community);
      const request = { ...forMember(member), body, ...withKey(name) };
      await money.control("refuse", { code: "balance_insufficient" });
      expect(await money.call(route, request)).toMatchObject(refused);
      expect(await money.memberNow(member)).toEqual(member);
      await expectNothingOpen(money.table, member);
      const { status } = await money.call(route, request);
      expect([200, 201]).toContain(status);
      await expectNothingOpen(money.table, member);
    },
  );

  it("uncancel_subscription that Stripe refuses returns 409 with Stripe's code and succeeds when it is retried", async () => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, forMember(member));
    await money.control("refuse", { code: "balance_insufficient" });
    expect(await money.call(uncancelSubscription, forMember(member))).toMatchObject(refused);
    await expectNothingOpen(money.table, member);
    expect(await money.call(uncancelSubscription, forMember(member))).toMatchObject({
      body: { cancel_at_period_end: false },
    });
  });
});

const address = anAddress();

describe("a deleted customer", () => {
  async function aDeletedCustomer(): Promise<StoredMember> {
    const member = await money.aSubscriber(community);
    await money.stripe.customers.del(member.stripe_customer_id ?? "");
    await money.deliverAll();
    return money.memberNow(member);
  }

  it("a member whose customer was deleted at Stripe can check out again as the same member with a new customer", async () => {
    const member = await aDeletedCustomer();
    expect(member.status).toBe("canceled");
    const { status, body } = await money.openCheckout(community, member.user);
    expect(status).toBe(201);
    await money.complete(body?.url);
    await money.deliverAll();
    const now = await money.memberNow(member);
    expect(now).toMatchObject({ id: member.id, status: "active" });
    expect(now.stripe_customer_id).not.toBe(member.stripe_customer_id);
    expect(await money.call(issueRefund, forMember(member))).toMatchObject({ status: 201 });
  });

  it.each(["answered", "refused"])(
    "a deleted customer has no subscription details, and a refund is refused without a request to Stripe (lists of deleted customers: %s)",
    async (lists) => {
      await money.control("faults", { deleted_customer_lists: lists });
      const member = await money.aSubscriber(community);
      const [charge] = await money.chargesOf(member.stripe_customer_id);
      await money.stripe.customers.del(member.stripe_customer_id ?? "");
      const check = async () => {
        expect(await money.call(subscriptionDetails, forMember(member))).toMatchObject({
          status: 409,
          body: { code: "no_subscription" },
        });
        const refunds: readonly [Parameters<typeof money.call>[0], object][] = [
          [issueRefund, {}],
          [refundCharge, { charge_id: charge?.id }],
        ];
        for (const [route, body] of refunds)
          expect(await money.call(route, { ...forMember(member), body })).toMatchObject({
            status: 409,
            body: { code: "nothing_to_refund" },
          });
        expect(await money.call(paymentHistory, forMember(member))).toMatchObject({
          body: { data: [{ hosted_invoice_url: null, charges: [{ id: charge?.id, refundable_cents: 0 }] }] },
        });
      };
      await check();
      await money.deliverAll();
      await check();
      expect(await money.stripe.charges.retrieve(charge?.id ?? "")).toMatchObject({ amount_refunded: 0 });
      await money.control("faults", { deleted_customer_lists: "answered" });
    },
  );

  it("events of a deleted customer change nothing once the member has a new customer", async () => {
    const member = await aDeletedCustomer();
    const { body } = await money.openCheckout(community, member.user);
    await money.complete(body?.url);
    await money.deliverAll();
    const now = await money.memberNow(member);
    await money.redeliver(member.stripe_customer_id ?? "", fromNow({ hours: -1 }));
    await money.reconcile(fromNow({ hours: 24 * 40 }));
    expect(await money.memberNow(member)).toEqual({ ...now, sync_version: expect.any(Number) });
    expect(await money.table.get(keys.customer(member.stripe_customer_id ?? ""))).toMatchObject({ is_former: true });
  });

  it("a member whose customer was deleted cannot open the portal, and their address is stored in the table only", async () => {
    const member = await aDeletedCustomer();
    const portal = {
      params: { community_id: community.id },
      as: member.user,
      body: { return_url: "http://127.0.0.1:3000/" },
    };
    expect(await money.call(createPortalSession, portal)).toMatchObject({
      status: 409,
      body: { code: "no_subscription" },
    });
    const edit = { ...forMember(member), body: { member: { shipping_address: address } } };
    expect(await money.call(updateMember, edit)).toMatchObject({ status: 200, body: { shipping_address: address } });
  });
});

describe("an unknown customer", () => {
  const other = useLocalStripe();

  it("a refund that the schedule sends with the key of another account stays open, and is made with the right key", async () => {
    const member = await money.aSubscriber(community);
    await money.control("faults", { fail_next: { count: 2, method: "POST", status: 500 } });
    expect(await money.call(issueRefund, forMember(member))).toMatchObject({ status: 502 });
    await money.control("faults", { fail_next: 0 });
    await expect(money.reconcile(fromNow({ hours: 1 }), other.stripe)).rejects.toThrow("Failed");
    expect((await ledgerOf(money.table, member.id)).operations).toMatchObject([{ state: "open" }]);
    await money.reconcile(fromNow({ hours: 10 }));
    expect(await refundedOf(member)).toEqual([2500]);
    await expectNothingOpen(money.table, member);
  });

  async function anUnknownCustomer(name: string): Promise<StoredMember> {
    const member = await money.aSubscriber(community);
    const stripe_customer_id = `cus_gone${name}`;
    const set = { stripe_customer_id, stripe_subscription_id: `sub_gone${name}` };
    const link = { customer_id: stripe_customer_id, community_id: community.id, member_id: member.id };
    await write(money.table, [
      { update: keyOf(member), set, when: "exists" },
      { put: { ...keys.customer(stripe_customer_id), ...link, user_id: member.user.id } },
      {
        update: keys.customerOf(member.user.id, community.id),
        set: { customer_id: stripe_customer_id },
        when: "exists",
      },
    ]);
    return money.memberNow(member);
  }

  it.each([
    ["history", paymentHistory, {}, 200, undefined],
    ["details", subscriptionDetails, {}, 409, "no_subscription"],
    ["refund", issueRefund, {}, 409, "nothing_to_refund"],
    ["charge", refundCharge, { charge_id: "ch_1" }, 409, "nothing_to_refund"],
    ["edit", updateMember, { member: { shipping_address: address } }, 200, undefined],
  ])(
    "a %s request for a member whose customer is unknown to Stripe never returns 500",
    async (name, route, body, status, code) => {
      const member = await anUnknownCustomer(name);
      const answer = await money.call(route, { ...forMember(member), ...(Object.keys(body).length > 0 && { body }) });
      expect({ status: answer.status, code: answer.body?.code }).toEqual({ status, code });
      await money.reconcile(fromNow({ hours: 1 }));
      await expectNothingOpen(money.table, member);
      expect((await money.memberNow(member)).lifetime_spend_cents).toBe(2500);
    },
  );

  it.each(["at_period_end", "immediately"])(
    "a cancellation (%s) for a member whose customer is unknown to Stripe stays open, because the customer may be in another account",
    async (mode) => {
      const member = await anUnknownCustomer(mode);
      expect(await money.call(cancelSubscription, { ...forMember(member), body: { mode } })).toMatchObject({
        status: 409,
        body: { code: "subscription_already_canceled" },
      });
      await expect(money.reconcile(fromNow({ hours: 1 }))).rejects.toThrow("Failed");
      expect((await ledgerOf(money.table, member.id)).operations).toMatchObject([{ state: "open" }]);
      expect((await money.memberNow(member)).lifetime_spend_cents).toBe(2500);
    },
  );
});
