import { describe, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as refundCharge } from "../../../functions/members/refund-charge.ts";
import { beforeWrite } from "../../support/before-write.ts";
import { atStripe, expectExact, expectNothingOpen } from "../../support/money/checks.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

describe("refunds", () => {
  it("issue_refund without an amount refunds the rest of the latest charge, records issuer and reason, and keeps the subscription", async () => {
    const member = await money.aSubscriber(community);
    const body = { reason: "fraudulent", note: "Card was stolen" };
    const { status, body: answer } = await money.call(issueRefund, { ...forMember(member), body });
    expect(status).toBe(201);
    expect(answer).toMatchObject({
      refund: { amount_cents: 2500, reason: "fraudulent", note: "Card was stolen", status: "succeeded", issued_by: 1 },
      member: { status: "active", total_refunded: 25, total_refunded_cents: 2500, lifetime_spend_cents: 0 },
    });
    const { refunds } = await atStripe(money, member);
    expect(refunds.map(({ reason, metadata }) => [reason, metadata?.operation_id?.slice(0, 3)])).toEqual([
      [null, "op_"],
    ]);
    await expectExact(money, member);
    await expectNothingOpen(money.table, member);
  });

  it("Stripe gets the reason of a refund, except fraudulent, which would block the customer's card and address", async () => {
    const member = await money.aSubscriber(community);
    for (const reason of ["requested_by_customer", "duplicate", "fraudulent", undefined])
      expect(
        await money.call(issueRefund, { ...forMember(member), body: { amount_cents: 100, ...(reason && { reason }) } }),
      ).toMatchObject({ status: 201, body: { refund: { reason: reason ?? "requested_by_customer" } } });
    const { refunds } = await atStripe(money, member);
    const sent = refunds.map(({ reason }) => String(reason)).toSorted();
    expect(sent).toEqual(["duplicate", "null", "requested_by_customer", "requested_by_customer"]);
  });

  it("a refund that two synchronizations overtake before it is made is stored", async () => {
    const member = await money.aSubscriber(community);
    const id = member.stripe_subscription_id ?? "";
    const change = async (cancel_at_period_end: boolean) => {
      await money.stripe.subscriptions.update(id, { cancel_at_period_end });
      await money.deliverAll();
    };
    const twoSynchronizations = async () => {
      await change(true);
      await change(false);
      // Members from before customers had items of their own lack this one.
      await write(money.table, [{ delete: keys.customerOf(member.user.id, community.id) }]);
    };
    const refund = () => money.call(issueRefund, { ...forMember(member), body: { amount_cents: 700 } });
    expect(await beforeWrite(money.client, twoSynchronizations, refund)).toMatchObject({
      status: 201,
      body: { refund: { amount_cents: 700 }, member: { total_refunded_cents: 700 } },
    });
    await expectExact(money, member);
    await expectNothingOpen(money.table, member);
  });

  it("issue_refund never refunds more than the refundable amount of a charge", async () => {
    const member = await money.aSubscriber(community);
    const refund = (amount_cents?: number) =>
      money.call(issueRefund, { ...forMember(member), body: amount_cents === undefined ? {} : { amount_cents } });

    expect(await refund(1000)).toMatchObject({ status: 201, body: { refund: { amount_cents: 1000 } } });
    expect(await refund(1501)).toMatchObject({
      status: 422,
      body: { code: "amount_exceeds_refundable", refundable_cents: 1500 },
    });
    expect(await refund()).toMatchObject({ status: 201, body: { refund: { amount_cents: 1500 } } });
    expect(await refund()).toMatchObject({ status: 409, body: { code: "nothing_to_refund" } });
    await expectExact(money, member);
  });

  it("refund_charge refunds only the given charge, and no charge of another member", async () => {
    const [member, other] = [await money.aSubscriber(community), await money.aSubscriber(community)];
    const [theirs, foreign] = [
      (await atStripe(money, member)).charges[0]?.id,
      (await atStripe(money, other)).charges[0]?.id,
    ];
    const refund = (charge_id: string | undefined) =>
      money.call(refundCharge, { ...forMember(member), body: { charge_id } });

    expect(await refund(foreign)).toMatchObject({ status: 404 });
    expect(await refund("nonsense")).toMatchObject({ status: 422 });
    expect(await refund(theirs)).toMatchObject({ status: 201, body: { refund: { charge_id: theirs } } });
    expect(await refund(theirs)).toMatchObject({ status: 409, body: { code: "charge_already_refunded" } });
  });
});

it("a charge whose dispute was prevented by returning the money is not refunded again, but an earlier one is", async () => {
  const member = await money.aSubscriber(community);
  await money.control("advance", { days: 31 });
  const [newest, earlier] = await money.chargesOf(member.stripe_customer_id);
  await money.control("disputes", { charge: newest?.id, status: "prevented" });
  await money.deliverAll();
  const refundNewest = { ...forMember(member), body: { charge_id: newest?.id } };
  expect(await money.call(refundCharge, refundNewest)).toMatchObject({ body: { code: "nothing_to_refund" } });
  expect(await money.call(issueRefund, forMember(member))).toMatchObject({
    status: 201,
    body: { refund: { charge_id: earlier?.id, amount_cents: 2500 } },
  });
  expect(await money.call(issueRefund, forMember(member))).toMatchObject({ body: { code: "nothing_to_refund" } });
});

describe("concurrent refunds", () => {
  it("twenty concurrent requests with one Idempotency-Key create one refund", async () => {
    const member = await money.aSubscriber(community);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        money.call(issueRefund, { ...forMember(member), body: { amount_cents: 700 }, ...withKey("one") }),
      ),
    );
    for (const { status, body } of answers)
      expect([201, "request_in_progress"]).toContain(status === 201 ? status : body?.code);
    expect(answers.some(({ status }) => status === 201)).toBe(true);
    expect((await atStripe(money, member)).refunds.map(({ amount }) => amount)).toEqual([700]);
    await expectExact(money, member);
    await expectNothingOpen(money.table, member);
  });

  it("concurrent refunds that together exceed a charge never refund more than was paid", async () => {
    const member = await money.aSubscriber(community);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => money.call(issueRefund, { ...forMember(member), body: { amount_cents: 900 } })),
    );
    for (const { status, body } of answers.filter((answer) => answer.status !== 201))
      expect([status, body?.code]).toEqual(
        status === 422 ? [422, "amount_exceeds_refundable"] : [409, "request_in_progress"],
      );
    const { refunded } = await atStripe(money, member);
    expect(refunded).toBe(900 * answers.filter(({ status }) => status === 201).length);
    expect(refunded).toBeLessThanOrEqual(2500);
    await expectExact(money, member);
    await expectNothingOpen(money.table, member);
  });
});
