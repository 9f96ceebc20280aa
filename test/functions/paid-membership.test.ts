import { beforeAll, describe, expect, it } from "vitest";
import { createPortalSession } from "#lib/contract/checkout.ts";
import * as members from "#lib/contract/members.ts";
import * as tiers from "#lib/contract/tiers.ts";
import { startApi } from "../support/api.ts";
import { aCommunity, type GivenCommunity } from "../support/given.ts";
import { join } from "../support/joining.ts";
import { setUp } from "../support/set-up.ts";

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

describe("a person who pays on Stripe's page", () => {
  const params = setUp(() => join(api, person, { community_id: community.id, tier_id }));
  const asOwner = () => ({ as: community.owner, params });

  it("a person who pays on Stripe's page becomes a member with a paid invoice once the webhook arrives", async () => {
    const { body } = await api.call(members.show, asOwner());
    expect(body).toMatchObject({ status: "active", metadata: { lifetime_spend_cents: 2_500 } });
    const { body: history } = await api.call(members.paymentHistory, asOwner());
    expect(history.data).toMatchObject([{ status: "paid", amount_paid_cents: 2_500 }]);
    expect((await api.call(members.subscriptionDetails, asOwner())).body).toMatchObject({ in_sync: true });
  });

  it("a refund is issued once if the request is repeated", async () => {
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

  it("a member sees their card and subscription in Stripe's portal", async () => {
    const body = { return_url: `${api.origin}/back` };
    expect((await api.call(createPortalSession, { as: person, ...inCommunity(), body })).status).toBe(201);
  });

  it("a member can cancel at period end, and withdraw the cancellation", async () => {
    expect((await api.call(members.cancelSubscription, asOwner())).body.cancel_at_period_end).toBe(true);
    expect((await api.call(members.uncancelSubscription, asOwner())).body.cancel_at_period_end).toBe(false);
  });
});
