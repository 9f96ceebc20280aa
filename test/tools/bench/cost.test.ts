import { afterAll, expect, it } from "vitest";
import { casesOf } from "../../../tools/bench/cost.ts";
import { busyCommunities } from "../../../tools/bench/requests.ts";
import { openShop } from "../../../tools/bench/shop.ts";
import { setUp } from "../../support/set-up.ts";

const shop = setUp(() => openShop());
afterAll(() => shop.money.close());

it("the cost benchmark has a successful request for every route that uses the table", async () => {
  for (const { key, handler, request } of await casesOf(shop, await busyCommunities(shop))) {
    const { roundTrips } = await shop.measure(handler, await request());
    expect({ key, hasRoundTrips: roundTrips > 0 }).toEqual({ key, hasRoundTrips: true });
  }
});
