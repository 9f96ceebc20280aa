import { expect, it } from "vitest";
import type { OpenBilling } from "#lib/billing/stripe.ts";
import { handler as update } from "../../../functions/tiers/update.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

it("of two renames of a tier at the same time, Stripe shows the one that is stored", async () => {
  const { owner, tier } = await money.aPricedCommunity();
  const rename = (name: string, on = money.platform()) =>
    money.call(update, { params: { id: tier.id }, as: owner, body: { tier: { name } } }, on);

  const platform = money.platform();
  let isRenamed = false;
  /** Renames the tier again before the first request reaches Stripe. */
  const slow: OpenBilling = (left) => {
    const billing = platform.billing?.(left);
    return async (...call) => {
      if (!isRenamed) {
        isRenamed = true;
        expect((await rename("Second")).status).toBe(200);
      }
      return billing?.(...call) as never;
    };
  };
  expect((await rename("First", { ...platform, billing: slow })).status).toBe(200);
  expect((await money.stripe.products.retrieve(`odis_tier_${tier.id}`)).name).toBe("Second");
});
