import { expect, it } from "vitest";
import type { OpenBilling } from "#lib/billing/stripe.ts";
import { countFailed } from "#lib/store/due.ts";
import { handler as remove } from "../../../functions/tiers/remove.ts";
import { handler as update } from "../../../functions/tiers/update.ts";
import { fromNow } from "../../support/clock.ts";
import { aCommunity, type GivenCommunity } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

const rename = ({ owner, tier }: GivenCommunity, name: string, on = money.platform()) =>
  money.call(update, { params: { id: tier.id }, as: owner, body: { tier: { name } } }, on);

const nameAtStripe = async ({ tier }: GivenCommunity) =>
  (await money.stripe.products.retrieve(`odis_tier_${tier.id}`)).name;

it.each([
  ["fails", { fail_next: { count: 2, method: "POST", status: 500 } }],
  ["refuses", { refuse: { code: "parameter_invalid", path: "/v1/products" } }],
])("a tier is renamed if Stripe %s, and the schedule renames its product", async (_, fault) => {
  const community = await money.aPricedCommunity();
  await money.control("faults", fault);
  expect(await rename(community, "Renamed")).toMatchObject({ status: 200, body: { name: "Renamed" } });
  await money.control("faults", { fail_next: 0 });
  expect(await nameAtStripe(community)).toBe(community.tier.name);
  await money.reconcile(fromNow({ minutes: 5 }));
  expect(await nameAtStripe(community)).toBe("Renamed");
});

it("a tier is renamed at Stripe at once, and not if its name stays the same", async () => {
  const community = await money.aPricedCommunity();
  expect(await rename(community, "Renamed")).toMatchObject({ status: 200 });
  expect(await nameAtStripe(community)).toBe("Renamed");
  await money.stripe.products.update(`odis_tier_${community.tier.id}`, { name: "In the dashboard" });
  expect(await rename(community, "Renamed")).toMatchObject({ status: 200 });
  expect(await nameAtStripe(community)).toBe("In the dashboard");
});

it("of two renames of a tier at the same time, Stripe shows the stored one after the schedule has run", async () => {
  const community = await money.aPricedCommunity();
  const platform = money.platform();
  let isRenamed = false;
  /** Renames the tier again before the first request reaches Stripe. */
  const slow: OpenBilling = (left) => {
    const billing = platform.billing?.(left);
    return async (...call) => {
      if (!isRenamed) {
        isRenamed = true;
        expect((await rename(community, "Second")).status).toBe(200);
      }
      return billing?.(...call) as never;
    };
  };
  expect((await rename(community, "First", { ...platform, billing: slow })).status).toBe(200);
  await money.reconcile(fromNow({ minutes: 5 }));
  expect(await nameAtStripe(community)).toBe("Second");
});

it("the schedule finishes with a renamed tier that was deleted, or that has no product at Stripe", async () => {
  const [deleted, unsold] = [await money.aPricedCommunity(), await aCommunity(money.table)];
  expect((await rename(deleted, "Deleted")).status).toBe(200);
  expect((await rename(unsold, "Unsold")).status).toBe(200);
  expect((await money.call(remove, { params: { id: deleted.tier.id } })).status).toBe(204);
  await money.reconcile(fromNow({ minutes: 5 }));
  expect(await countFailed(money.table)).toEqual({ failed: 0, setAside: 0 });
});
