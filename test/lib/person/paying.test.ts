import { describe, expect, it } from "vitest";
import { type Billing, billingOf } from "#lib/billing/stripe.ts";
import type { Activity } from "#lib/domain/activity.ts";
import type { ErasureAnswer } from "#lib/domain/erasure.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { queryAll } from "#lib/store/query-all.ts";
import type { Write } from "#lib/store/table.ts";
import * as transactions from "#lib/store/transactions.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { erasing as erasingMe } from "../../../functions/me/erase.ts";
import { handler as activity } from "../../../functions/members/activity.ts";
import { erasing } from "../../../functions/users/erase.ts";
import { fromNow } from "../../support/clock.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { keptOf } from "../../support/money/stripe.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

const erase = (id: number, over: object = {}, on = money.platform(), headers = {}) =>
  money.call(
    erasing(money.outside),
    { params: { id }, body: { dry_run: false, cancel_subscriptions: true, ...over }, headers },
    on,
  );

const dryRun = async (id: number, over: object = {}) =>
  (await erase(id, { dry_run: true, ...over })).body as ErasureAnswer;

const placeOf = ({ community_id, id }: StoredMember, { tier }: GivenCommunity) => ({
  community_id,
  member_id: id,
  tier: { id: tier.id, name: tier.name },
});

const statusesOf = async ({ stripe_customer_id }: StoredMember) =>
  (await money.subscriptionsOf(stripe_customer_id)).map(({ status }) => status);

const isErased = async (id: number) => (await users.find(money.table, id))?.erased_at !== undefined;

/** A person who pays in two communities. */
async function aPayer() {
  const [one, other] = [await money.aPricedCommunity(), await money.aPricedCommunity()];
  const first = await money.aSubscriber(one);
  const { body } = await money.openCheckout(other, first.user);
  await money.complete(body?.url);
  await money.deliverAll();
  const { cancels } = await dryRun(first.user.id);
  const found = cancels.find(({ community_id }) => community_id === other.id);
  const second = await money.memberNow({ ...first, community_id: other.id, id: found?.member_id ?? 0 });
  return { id: first.user.id, members: [first, second], places: [placeOf(first, one), placeOf(second, other)] };
}

/** Stripe, with something that happens there just after a subscription was canceled. */
const whenCanceled = (act: () => Promise<void>) =>
  money.platform({
    billing: (left) => {
      const billing = billingOf(async () => money.stripe)(left);
      const watched: Billing = async (ask, key) => {
        const answer = await billing(ask, key);
        const { object, status } = answer as { object?: string; status?: string };
        if (object === "subscription" && status === "canceled") await act();
        return answer;
      };
      return watched;
    },
  });

describe("an erasure that cancels subscriptions", () => {
  it("an erasure with cancel_subscriptions ends every live subscription without a refund and erases the person", async () => {
    const { id, members } = await aPayer();
    const { status, body } = await erase(id);
    expect({ status, body }).toMatchObject({ status: 200, body: { erased: true, blockers: [], cancels: [] } });
    for (const member of members) {
      expect(await statusesOf(member)).toEqual(["canceled"]);
      expect(keptOf(await money.chargesOf(member.stripe_customer_id))).toBe(2500);
      expect(await money.memberNow(member)).toMatchObject({ status: "canceled", lifetime_spend_cents: 2500 });
      const { data } = await transactions.list(money.table, member.community_id, { per: 9 });
      expect(data).toMatchObject([{ amount_cents: 2500, member: { id: member.id, name: null }, receipt_url: null }]);
      await expectNothingOpen(money.table, member);
    }
    expect(await isErased(id)).toBe(true);
  });

  it("a receipt link that a function of an earlier version leaves is removed an hour after the erasure", async () => {
    const { id, members } = await aPayer();
    const { pk } = keys.transaction(members[0]?.community_id ?? 0, "payment", "");
    const linkOf = async () =>
      (await queryAll(money.table, { pk })).map(({ sk, receipt_url }) => ({ sk, receipt_url }));
    const before = await linkOf();
    expect(before).toEqual([{ sk: expect.any(String), receipt_url: expect.stringMatching(/^https:/) }]);
    expect((await erase(id)).status).toBe(200);
    await write(
      money.table,
      before.map(
        ({ sk, receipt_url }): Write => ({ update: { pk, sk: String(sk) }, set: { receipt_url }, when: "exists" }),
      ),
    );
    expect(await linkOf()).toEqual(before);
    await money.reconcile(fromNow({ hours: 2 }));
    expect(await linkOf()).toEqual([{ sk: before[0]?.sk, receipt_url: null }]);
  });

  it("an erasure with cancel_subscriptions also cancels the caller's own subscriptions, and the activity has the caller as the actor", async () => {
    const member = await money.aSubscriber(await money.aPricedCommunity());
    const as = { id: member.user.id, authTime: Math.floor(Date.now() / 1000) };
    const body = { dry_run: false, cancel_subscriptions: true };
    expect((await money.call(erasingMe(money.outside), { as, body })).status).toBe(200);
    expect(await statusesOf(member)).toEqual(["canceled"]);
    const { body: listed } = await money.call(activity, forMember(member));
    const entries = listed?.data as Activity[];
    expect(entries.find(({ action }) => action === "canceled")?.actor).toMatchObject({ id: member.user.id });
  });

  it("a dry run of an erasure lists the subscriptions to cancel and changes nothing", async () => {
    const { id, members, places } = await aPayer();
    const body = await dryRun(id);
    expect(body).toMatchObject({ erased: false, dry_run: true, blockers: [] });
    expect(body.cancels).toEqual(expect.arrayContaining(places));
    expect(body.cancels).toHaveLength(2);
    for (const member of members) expect(await statusesOf(member)).toEqual(["active"]);
  });

  it("an erasure without cancel_subscriptions is blocked and lists no subscription to cancel", async () => {
    const { id, members } = await aPayer();
    const body = await dryRun(id, { cancel_subscriptions: false });
    expect(body.cancels).toEqual([]);
    expect(body.blockers).toHaveLength(2);
    expect((await erase(id, { cancel_subscriptions: false })).status).toBe(409);
    for (const member of members) expect(await statusesOf(member)).toEqual(["active"]);
  });

  it("an erasure cancels a subscription before the event of its checkout has been received", async () => {
    const community = await money.aPricedCommunity();
    const { id } = await money.aPerson();
    const { body: session } = await money.openCheckout(community, { id });
    await money.complete(session?.url);
    const body = await dryRun(id);
    expect(body.cancels).toMatchObject([{ community_id: community.id }]);
    expect((await erase(id)).status).toBe(200);
    await money.deliverAll();
    expect(await isErased(id)).toBe(true);
  });

  it.each([
    {
      blocker: "an open dispute",
      code: "open_dispute",
      async given(member: StoredMember) {
        const [charge] = await money.chargesOf(member.stripe_customer_id);
        await money.control("disputes", { charge: charge?.id });
      },
    },
    {
      blocker: "a subscription that somebody else made for the same Stripe customer",
      code: "foreign_subscription",
      given: ({ stripe_customer_id }: StoredMember, { tier }: GivenCommunity) =>
        money.control("subscriptions", { customer: stripe_customer_id, price: tier.stripe_price_id }),
    },
    {
      blocker: "a community that the person owns",
      code: "owns_community",
      async given({ user }: StoredMember) {
        const { id } = await money.aPricedCommunity();
        await money.call(updateCommunity, { params: { id }, body: { community: { owner_id: user.id } } });
      },
    },
  ])("an erasure cancels nothing while it is blocked by $blocker", async ({ code, given }) => {
    const community = await money.aPricedCommunity();
    const member = await money.aSubscriber(community);
    await given(member, community);
    const { status, body } = await erase(member.user.id);
    expect({ status, code: body?.code }).toEqual({ status: 409, code: "erasure_blocked" });
    expect(body?.blockers).toEqual([expect.objectContaining({ code })]);
    expect(body).not.toHaveProperty("canceled");
    const subscription = await money.stripe.subscriptions.retrieve(member.stripe_subscription_id ?? "");
    expect(subscription).toMatchObject({ status: "active", cancel_at_period_end: false });
    expect(await isErased(member.user.id)).toBe(false);
  });

  it("an erasure that is blocked after its cancellations lists them, also in a retry", async () => {
    const community = await money.aPricedCommunity();
    const member = await money.aSubscriber(community);
    const [charge] = await money.chargesOf(member.stripe_customer_id);
    const on = whenCanceled(() => money.control("disputes", { charge: charge?.id }));
    const key = withKey("the same request").headers;
    const refused = {
      status: 409,
      body: {
        code: "erasure_blocked",
        blockers: [{ code: "open_dispute", community_id: community.id, member_id: member.id }],
        canceled: [placeOf(member, community)],
      },
    };
    expect(await erase(member.user.id, {}, on, key)).toMatchObject(refused);
    expect(await erase(member.user.id, {}, money.platform(), key)).toMatchObject(refused);
    expect(await isErased(member.user.id)).toBe(false);
    expect(await statusesOf(member)).toEqual(["canceled"]);
  });

  it("an erasure succeeds if the subscription ends by itself during its cancellation", async () => {
    const member = await money.aSubscriber(await money.aPricedCommunity());
    let isFirst = true;
    const on = money.platform({
      billing: (left) => {
        const billing = billingOf(async () => money.stripe)(left);
        return async (ask, key) =>
          billing(async (stripe, options) => {
            const { subscriptions } = stripe;
            const cancel = subscriptions.cancel.bind(subscriptions);
            const overtaken = Object.assign(Object.create(subscriptions), {
              async cancel(...given: Parameters<typeof cancel>) {
                if (isFirst) await cancel(given[0]);
                isFirst = false;
                return cancel(...given);
              },
            });
            return ask(Object.assign(Object.create(stripe), { subscriptions: overtaken }), options);
          }, key);
      },
    });
    expect((await erase(member.user.id, {}, on)).status).toBe(200);
    await expectNothingOpen(money.table, member);
  });
});

it("an erasure that is blocked after its mark returns outcome_unknown and is completed by the schedule", async () => {
  const community = await money.aPricedCommunity();
  const member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  const outside = {
    ...money.outside,
    async record(userId: number, at: string) {
      await money.outside.record(userId, at);
      await money.control("disputes", { charge: charge?.id });
    },
  };
  const body = { dry_run: false, cancel_subscriptions: true };
  const refused = await money.call(erasing(outside), { params: { id: member.user.id }, body });
  expect(refused).toMatchObject({
    status: 503,
    body: { code: "outcome_unknown", blockers: [{ code: "open_dispute", member_id: member.id }] },
  });
  expect(await isErased(member.user.id)).toBe(true);
  await money.control("disputes", { charge: charge?.id, status: "lost" });
  await money.reconcile(fromNow({ minutes: 10 }));
  expect((await erase(member.user.id)).status).toBe(200);
});

it("an erasure whose deletion of the customer Stripe refuses returns outcome_unknown and is completed by a retry", async () => {
  const member = await money.aSubscriber(await money.aPricedCommunity());
  await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
  await money.deliverAll();
  await money.control("faults", { refuse: { code: "parameter_invalid", path: "/v1/customers" } });
  expect(await erase(member.user.id)).toMatchObject({ status: 503, body: { code: "outcome_unknown" } });
  expect(await isErased(member.user.id)).toBe(true);
  expect(await erase(member.user.id)).toMatchObject({ status: 200, body: { erased: true } });
});
