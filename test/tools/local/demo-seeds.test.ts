import { afterAll, beforeAll, expect, it } from "vitest";
import { machine } from "#lib/runtime.ts";
import * as benefits from "#lib/store/benefits.ts";
import { connect } from "#lib/store/table.ts";
import { addBenefits } from "../../../tools/local/demo/benefits.ts";
import { addBrands } from "../../../tools/local/demo/brands.ts";
import { addCommunities } from "../../../tools/local/demo/communities.ts";
import { producers } from "../../../tools/local/demo/demo.ts";
import { addDestinations } from "../../../tools/local/demo/destinations.ts";
import { createTable } from "../../../tools/local/dynamodb.ts";
import { Chance } from "../../simulation/chance.ts";
import { openTable } from "../../support/table.ts";

let test: Awaited<ReturnType<typeof openTable>>;
beforeAll(async () => {
  test = await openTable("odis-seeds");
});
afterAll(() => test.close());

/**
 * Creates an empty table in which two ids of the same millisecond collide once in 16 times instead of once in 4,096.
 */
async function tableOf(seed: number) {
  const name = `odis-seeds-${seed}`;
  await createTable(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "", name);
  const chance = new Chance(`demo ${seed}`);
  return connect(test.client, name, {
    ...machine,
    random: () => chance.integer(0, 15) / 16,
    wait: async () => {},
  })();
}

it.each(Array.from({ length: 20 }, (_, n) => n))(
  "the demo's data is complete with seed %i, although new ids often collide",
  async (seed) => {
    const table = await tableOf(seed);
    const by = { id: 1, requestId: "demo", now: new Date("2026-01-05T09:00:00.000Z") };
    await addCommunities(table, by, {
      pricesOf: async (_, { id }) => ({ stripe_price_id: `price_${id}`, yearly_stripe_price_id: null }),
      isRepriced: true,
    });
    await addBenefits(table, by);
    await addDestinations(table, by);
    await addBrands(table, producers, by);
    const { tiers, benefits: added } = await benefits.open(table, 1);
    expect({ tiers: tiers.length, benefits: added.length }).toEqual({ tiers: 4, benefits: 6 });
  },
);
