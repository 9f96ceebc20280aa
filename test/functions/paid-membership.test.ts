import { beforeAll, describe, expect, it } from "vitest";
import { createPortalSession, createSession } from "#lib/contract/checkout.ts";
import * as members from "#lib/contract/members.ts";
import * as membership from "#lib/contract/membership.ts";
import * as tiers from "#lib/contract/tiers.ts";
import { admin, startApi } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { aCommunity, type GivenCommunity } from "../support/given.ts";

const api = startApi();

const person = { id: 5001 };
let community: GivenCommunity;
let tier_id: number;
beforeAll(async () => {
  community = await aCommunity(api.table);
  const tier = { name: "Cask", monthly_price_dollars: 25 };
  tier_id = (await api.call(tiers.create, { as: community.owner, ...inCommunity(), body: { tier } })).body.id;
});

const inCommunity = () => ({ params: { community_id: community.id } });
const back = () => ({ success_url: `${api.origin}/yes`, cancel_url: `${api.origin}/no` });

/** Opens a checkout and pays on Stripe's page; Stripe tells us in its own time. */
async function join(as: { readonly id: number }) {
  const { body } = await api.call(createSession, { as, ...inCommunity(), body: { tier_id, ...back() } });
  await fetch(`${body.url}/complete`, { method: "POST", body: "{}" });
  const heard = async () => {
    const own = await api.call(membership.show, { as, ...inCommunity() });
    expect(own.body).toMatchObject({ is_member: true, access: { reason: "active" } });
  };
  await eventually(heard);
  const { body: list } = await api.call(members.list, { as: admin, ...inCommunity() });
  const { id = 0 } = list.data.find(({ user }) => user.id === as.id) ?? {};
  return { params: { community_id: community.id, id } };
}

describe("who pays on Stripe's page", () => {
  let member: Awaited<ReturnType<typeof join>>;
  beforeAll(async () => {
    member = await join(person);
  });
  const asOwner = () => ({ as: community.owner, ...member });

  it("becomes a member as soon as Stripe says so, with an invoice that is paid", async () => {
    const { body } = await api.call(members.show, asOwner());
    expect(body).toMatchObject({ status: "active", metadata: { lifetime_spend_cents: 2_500 } });
    const { body: history } = await api.call(members.paymentHistory, asOwner());
    expect(history.data).toMatchObject([{ status: "paid", amount_paid_cents: 2_500 }]);
    expect((await api.call(members.subscriptionDetails, asOwner())).body).toMatchObject({ in_sync: true });
  });

  it("gets money back once, however often the request is repeated", async () => {
    const refund = () =>
      api.call(members.issueRefund, {
        ...asOwner(),
        headers: { "idempotency-key": "one refund" },
        body: { amount_cents: 700 },
      });
    expect((await refund()).status).toBe(201);
    expect((await refund()).headers.get("idempotency-replayed")).toBe("true");
    const { body } = await api.call(members.show, asOwner());
    expect(body).toMatchObject({ total_refunded_cents: 700, metadata: { lifetime_spend_cents: 1_800 } });
  });

  it("finds their card and their subscription in Stripe's portal", async () => {
    const body = { return_url: `${api.origin}/back` };
    expect((await api.call(createPortalSession, { as: person, ...inCommunity(), body })).status).toBe(201);
  });

  it("leaves at the period's end, or stays after all", async () => {
    expect((await api.call(members.cancelSubscription, asOwner())).body.cancel_at_period_end).toBe(true);
    expect((await api.call(members.uncancelSubscription, asOwner())).body.cancel_at_period_end).toBe(false);
  });
});
