import { describe, expect, it } from "vitest";
import { listOfMember } from "#lib/store/activity.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as block } from "../../functions/members/block.ts";
import { handler as cancel } from "../../functions/membership/cancel-subscription.ts";
import { handler as show } from "../../functions/membership/show.ts";
import { handler as uncancel } from "../../functions/membership/uncancel-subscription.ts";
import { forMember, withKey } from "../support/money/handlers.ts";
import { startMoney } from "../support/money.ts";
import { setUp } from "../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

/** A request of a person about their own membership. */
const by = ({ user }: Pick<StoredMember, "user">, body: object = {}) => ({
  params: { community_id: community.id },
  as: { id: user.id },
  body,
});

describe("a member's own cancellation", () => {
  it("a member can schedule the cancellation of their own subscription and withdraw the cancellation", async () => {
    const member = await money.aSubscriber(community);
    const canceled = await money.call(cancel, by(member, { feedback: "unused", comment: "Too many bottles" }));
    expect(canceled).toMatchObject({
      status: 200,
      body: {
        member_id: member.id,
        access: { granted: true, reason: "canceling", until: member.current_period_end },
        cancel_at_period_end: true,
        cancel_at: member.current_period_end,
      },
    });
    expect(canceled).toEqual(await money.call(show, by(member)));
    const subscription = await money.stripe.subscriptions.retrieve(member.stripe_subscription_id ?? "");
    expect(subscription).toMatchObject({
      cancel_at_period_end: true,
      cancellation_details: { feedback: "unused", comment: "Too many bottles" },
    });
    const { data } = await listOfMember(money.table, member.id, { per: 1 });
    expect(data).toMatchObject([{ action: "cancel_scheduled", actor: { type: "user", id: member.user.id } }]);

    const kept = await money.call(uncancel, by(member));
    expect(kept).toMatchObject({ status: 200, body: { cancel_at_period_end: false, cancel_at: null } });
    expect(kept).toEqual(await money.call(show, by(member)));
  });

  it("a member can end their own subscription immediately, with one effect per Idempotency-Key", async () => {
    const member = await money.aSubscriber(community);
    const call = { ...by(member, { mode: "immediately" }), ...withKey(`own-${member.id}`) };
    const first = await money.call(cancel, call);
    expect(first).toMatchObject({ status: 200, body: { is_member: false, status: "canceled", benefits: [] } });
    expect(await money.call(cancel, call)).toEqual(first);
    expect(await money.call(cancel, by(member, { mode: "immediately" }))).toMatchObject({
      status: 409,
      body: { code: "subscription_already_canceled" },
    });
  });

  it("the response to a member's own cancellation has no field that only the owner may read", async () => {
    const member = await money.aSubscriber(community);
    const { body } = await money.call(cancel, by(member));
    expect(Object.keys(body ?? {}).toSorted()).toEqual([
      "access",
      "benefits",
      "cancel_at",
      "cancel_at_period_end",
      "current_period_end",
      "interval",
      "is_member",
      "member_id",
      "price_cents",
      "scheduled_change",
      "status",
      "tier",
    ]);
  });

  it("a blocked member can cancel their own subscription, but cannot withdraw the cancellation", async () => {
    const member = await money.aSubscriber(community);
    await money.call(block, forMember(member));
    expect(await money.call(cancel, by(member))).toMatchObject({
      status: 200,
      body: { access: { granted: false, reason: "blocked" }, cancel_at_period_end: true },
    });
    expect(await money.call(uncancel, by(member))).toMatchObject({ status: 409, body: { code: "member_blocked" } });
  });

  it("an imported member without a Stripe subscription ends their own membership", async () => {
    const user = await money.aPerson();
    await money.importMember(community, { id: 77, user: { id: user.id }, status: "active" });
    const { status, body } = await money.call(cancel, by({ user } as StoredMember, { mode: "immediately" }));
    expect({ status, body }).toMatchObject({ status: 200, body: { member_id: 77, status: "canceled" } });
  });

  it("canceling a membership returns not_found for callers who are not members, including the owner", async () => {
    for (const as of [await money.aPerson(), community.owner])
      for (const endpoint of [cancel, uncancel])
        expect(await money.call(endpoint, { params: { community_id: community.id }, as, body: {} })).toMatchObject({
          status: 404,
          body: { code: "not_found", detail: `There is no membership of the caller in community ${community.id}` },
        });
  });
});
