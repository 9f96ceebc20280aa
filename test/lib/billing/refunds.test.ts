import { beforeAll, describe, expect, it } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as refundCharge } from "../../../functions/members/refund-charge.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

let community: GivenCommunity;
beforeAll(async () => {
  community = await money.aPricedCommunity();
});

const of = ({ id }: { id: number }) => ({ community_id: community.id, id });
const keyed = (key: string) => ({ "idempotency-key": key });

/** What Stripe says was given back and what is left of a member's charges. */
async function atStripe({ stripe_customer_id }: StoredMember) {
  const { data } = await money.stripe.charges.list({ customer: stripe_customer_id ?? "", expand: ["data.refunds"] });
  const refunds = data.flatMap((charge) => charge.refunds?.data ?? []);
  const counted = refunds.filter(({ status }) => status !== "failed" && status !== "canceled");
  const paid = data.reduce((sum, charge) => sum + charge.amount_captured, 0);
  return { refunds, paid, refunded: counted.reduce((sum, { amount }) => sum + amount, 0), charges: data };
}

async function expectExact(member: StoredMember): Promise<void> {
  const now = await money.memberNow(member);
  const { paid, refunded, refunds } = await atStripe(member);
  expect({ spent: now.lifetime_spend_cents, refunded: now.total_refunded_cents }).toEqual({
    spent: paid - refunded,
    refunded,
  });
  expect(now.refunds.map(({ refund_id }) => refund_id).toSorted()).toEqual(refunds.map(({ id }) => id).toSorted());
}

async function expectNothingOpen({ id }: StoredMember): Promise<void> {
  const { operations } = await ledgerOf(money.table, id);
  expect(operations.filter(({ state }) => state === "open")).toEqual([]);
  const { items } = await money.table.query({ pk: "OPERATIONS" });
  expect(items.filter(({ member_id }) => member_id === id)).toEqual([]);
}

describe("a refund", () => {
  it("gives back all that is left of the latest charge, records who and why, and leaves the subscription", async () => {
    const member = await money.aSubscriber(community);
    const body = { reason: "fraudulent", note: "Card was stolen" };
    const { status, body: answer } = await money.call(issueRefund, { params: of(member), body });
    expect(status).toBe(201);
    expect(answer).toMatchObject({
      refund: { amount_cents: 2500, reason: "fraudulent", note: "Card was stolen", status: "succeeded", issued_by: 1 },
      member: { status: "active", total_refunded: 25, total_refunded_cents: 2500, lifetime_spend_cents: 0 },
    });
    const { refunds } = await atStripe(member);
    expect(refunds.map(({ reason, metadata }) => [reason, metadata?.operation_id?.slice(0, 3)])).toEqual([
      [null, "op_"],
    ]);
    await expectExact(member);
    await expectNothingOpen(member);
  });

  it("takes a part, and then no more than what is left", async () => {
    const member = await money.aSubscriber(community);
    const refund = (amount_cents?: number) =>
      money.call(issueRefund, { params: of(member), body: amount_cents === undefined ? {} : { amount_cents } });

    expect(await refund(1000)).toMatchObject({ status: 201, body: { refund: { amount_cents: 1000 } } });
    expect(await refund(1501)).toMatchObject({
      status: 422,
      body: { code: "amount_exceeds_refundable", refundable_cents: 1500 },
    });
    expect(await refund()).toMatchObject({ status: 201, body: { refund: { amount_cents: 1500 } } });
    expect(await refund()).toMatchObject({ status: 409, body: { code: "nothing_to_refund" } });
    await expectExact(member);
  });

  it("of one charge is of that charge, and of nobody else's", async () => {
    const [member, other] = [await money.aSubscriber(community), await money.aSubscriber(community)];
    const [theirs, foreign] = [(await atStripe(member)).charges[0]?.id, (await atStripe(other)).charges[0]?.id];
    const refund = (charge_id: string | undefined) =>
      money.call(refundCharge, { params: of(member), body: { charge_id } });

    expect(await refund(foreign)).toMatchObject({ status: 404 });
    expect(await refund("nonsense")).toMatchObject({ status: 422 });
    expect(await refund(theirs)).toMatchObject({ status: 201, body: { refund: { charge_id: theirs } } });
    expect(await refund(theirs)).toMatchObject({ status: 409, body: { code: "charge_already_refunded" } });
  });
});

describe("refunds at once", () => {
  it("with one Idempotency-Key are one refund, however many", async () => {
    const member = await money.aSubscriber(community);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        money.call(issueRefund, { params: of(member), body: { amount_cents: 700 }, headers: keyed("one") }),
      ),
    );
    for (const { status, body } of answers)
      expect([201, "request_in_progress"]).toContain(status === 201 ? status : body?.code);
    expect(answers.some(({ status }) => status === 201)).toBe(true);
    expect((await atStripe(member)).refunds.map(({ amount }) => amount)).toEqual([700]);
    await expectExact(member);
    await expectNothingOpen(member);
  });

  it("that together exceed the charge never give back more than was paid", async () => {
    const member = await money.aSubscriber(community);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => money.call(issueRefund, { params: of(member), body: { amount_cents: 900 } })),
    );
    for (const { status, body } of answers.filter((answer) => answer.status !== 201))
      expect([status, body?.code]).toEqual(
        status === 422 ? [422, "amount_exceeds_refundable"] : [409, "request_in_progress"],
      );
    const { refunded } = await atStripe(member);
    expect(refunded).toBe(900 * answers.filter(({ status }) => status === 201).length);
    expect(refunded).toBeLessThanOrEqual(2500);
    await expectExact(member);
    await expectNothingOpen(member);
  });

  it("with the same key and another body are refused", async () => {
    const member = await money.aSubscriber(community);
    const refund = (amount_cents: number) =>
      money.call(issueRefund, { params: of(member), body: { amount_cents }, headers: keyed("two") });
    expect(await refund(100)).toMatchObject({ status: 201 });
    expect(await refund(100)).toMatchObject({ status: 201 });
    expect(await refund(101)).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    expect((await atStripe(member)).refunded).toBe(100);
  });
});

class Crash extends Error {}

/** Fails at the n-th call that leaves the process, before or after it has had its effect. */
function crashAt(n: number, moment: "before" | "after") {
  let calls = 0;
  return (at: "before" | "after") => {
    if (at === moment && ++calls === n) throw new Crash();
  };
}

describe.each(["before", "after"] as const)("a crash %s any one call", (moment) => {
  it.each(["a retry", "an event", "the schedule"])(
    "is mended by %s: one refund, exact sums, nothing left open",
    async (mender) => {
      for (let n = 1; ; n++) {
        const member = await money.aSubscriber(community);
        const request = { params: of(member), body: { amount_cents: 600 }, headers: keyed(`crash-${n}`) };
        const crashed = await money.troubled(crashAt(n, moment), () => money.call(issueRefund, request));
        if (mender === "a retry") expect(await money.call(issueRefund, request)).toMatchObject({ status: 201 });
        if (mender === "an event") await money.deliverAll();
        await money.reconcile(new Date(Date.now() + 10 * 60_000));

        const { refunds } = await atStripe(member);
        expect({ n, refunds: refunds.length }).toEqual({
          n,
          refunds: mender === "a retry" ? 1 : Math.min(1, refunds.length),
        });
        await expectExact(member);
        await expectNothingOpen(member);
        if (crashed.status === 201) break;
      }
    },
  );
});
