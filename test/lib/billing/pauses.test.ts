import { expect, it } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { types } from "../../support/member-states.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

const eventsOf = (before: StoredMember, after: StoredMember) => types(before, after);

async function paused(member: StoredMember, reason: string | null): Promise<StoredMember> {
  await money.control(`subscriptions/${member.stripe_subscription_id}`, { paused: reason });
  await money.deliverAll();
  return money.memberNow(member);
}

it("a subscription that is paused on request has no access until it is resumed, and sends no member.unpaid", async () => {
  const member = await money.aSubscriber(community);
  const after = await paused(member, "pause_requested");
  expect(after).toMatchObject({ status: "unpaid", monthly_cents: 0 });
  expect(eventsOf(member, after)).toEqual(["access.revoked"]);
  expect(await money.openCheckout(community, member.user)).toMatchObject({ status: 409 });
  await money.control("advance", { days: 45 });
  await money.deliverAll();
  expect((await money.memberNow(member)).lifetime_spend_cents).toBe(2500);

  const resumed = await paused(member, null);
  expect(resumed).toMatchObject({ status: "active", monthly_cents: 2500, lifetime_spend_cents: 5000 });
  expect(eventsOf(after, resumed)).toEqual(["payment.succeeded", "access.granted"]);
});

it.each(["first_payment_failure", "final_payment_failure", "trial_end_without_payment_method"])(
  "a pause because of %s makes the member unpaid, and the end of the pause takes a payment and sends member.recovered",
  async (reason) => {
    const member = await money.aSubscriber(community);
    const after = await paused(member, reason);
    expect(after.status).toBe("unpaid");
    expect(eventsOf(member, after)).toEqual(["member.unpaid", "access.revoked"]);
    expect(eventsOf(after, await paused(member, null))).toEqual([
      "payment.succeeded",
      "member.recovered",
      "access.granted",
    ]);
  },
);
