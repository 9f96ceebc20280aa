import { expect, it } from "vitest";
import { copyProfile } from "#lib/billing/profile.ts";
import type { Billing } from "#lib/billing/stripe.ts";
import { keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import { write } from "#lib/store/write.ts";
import { handler as createSession } from "../../../functions/checkout/create-session.ts";
import { skipWaits } from "../../support/clock.ts";
import { origin } from "../../support/money/people.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

skipWaits();
const money = startMoney();
const community = setUp(() => money.aPricedCommunity());

type Platform = ReturnType<typeof money.platform>;
type Moment = "before" | "after";

const checkOut = (id: number, platform?: Platform) =>
  money.call(
    createSession,
    {
      params: { community_id: community.id },
      as: { id },
      body: { tier_id: community.tier.id, success_url: `${origin}/yes`, cancel_url: `${origin}/no` },
    },
    platform,
  );

/** Lets something happen once, before or after the first customer is created at Stripe. */
function around(moment: Moment, meanwhile: () => Promise<unknown>): Platform {
  let hasHappened = false;
  const happen = async (at: Moment, key = "") => {
    if (hasHappened || at !== moment || !key.startsWith("customer-")) return;
    hasHappened = true;
    await meanwhile();
  };
  const billing: Billing = async (ask, key) => {
    await happen("before", key);
    const response = await ask(money.stripe, key === undefined ? {} : { idempotencyKey: key });
    await happen("after", key);
    return response;
  };
  return money.platform({ billing: () => billing });
}

it("a person who is imported during their first checkout keeps the imported customer", async () => {
  const { id, user, stripe_customer_id, stripe_subscription_id } = await money.aSubscriber(community);
  const customerOf = keys.customerOf(user.id, community.id);
  const gone = [
    keys.member(community.id, id),
    keys.memberParent(id),
    keys.membership(user.id, community.id),
    customerOf,
    keys.customer(stripe_customer_id ?? ""),
  ];
  await write(
    money.table,
    gone.map((key) => ({ delete: key })),
  );
  const imported = { user: { id: user.id }, status: "active", stripe_customer_id, stripe_subscription_id };
  const platform = around("after", () => money.importMember(community, imported));
  expect(await checkOut(user.id, platform)).toMatchObject({ status: 409, body: { code: "already_a_member" } });
  expect(await money.table.get(customerOf)).toMatchObject({ customer_id: stripe_customer_id });
});

it("a customer that is created while the profile changes gets the new address", async () => {
  const { id } = await money.aPerson();
  const key = keys.customerOf(id, community.id);
  // A sign-in changes the profile, which is copied before the customer is linked.
  const platform = around("after", async () => {
    await write(money.table, [{ update: keys.user(id), set: { email: "new@example.com" }, when: "exists" }]);
    await copyProfile({ table: money.table, billing: async (ask) => ask(money.stripe, {}), now: new Date() }, id, [
      "email",
    ]);
  });
  expect(await checkOut(id, platform)).toMatchObject({ status: 201 });
  const customer = String((await money.table.get(key))?.customer_id);
  expect(await money.stripe.customers.retrieve(customer)).toMatchObject({ email: "new@example.com" });
});

it("of two first checkouts between which the profile changes, only the one that is opened last can be paid", async () => {
  const { id } = await money.aPerson();
  let earlier = "";
  const platform = around("before", async () => {
    await write(money.table, [{ update: keys.user(id), set: { first_name: "Anna" }, when: "exists" }]);
    earlier = String((await checkOut(id)).body?.id);
  });
  const { status, body } = await checkOut(id, platform);
  expect(status).toBe(201);
  expect(await money.stripe.checkout.sessions.retrieve(earlier)).toMatchObject({ status: "expired" });
  await money.complete(String(body?.url));
  await money.deliverAll();
  const customer = await money.table.get(keys.customerOf(id, community.id));
  expect(await members.find(money.table, community.id, Number(customer?.member_id))).toMatchObject({
    status: "active",
  });
});
