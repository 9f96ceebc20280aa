import { afterAll, beforeAll, expect, it } from "vitest";
import { casesOf } from "../../../tools/bench/cost.ts";
import { openShop, type Shop } from "../../../tools/bench/shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.money.close());

it("there is a successful request for every route that uses the table", async () => {
  for (const { key, handler, request } of await casesOf(shop)) {
    const { roundTrips } = await shop.measure(handler, await request());
    expect({ key, hasRoundTrips: roundTrips > 0 }).toEqual({ key, hasRoundTrips: true });
  }
});
