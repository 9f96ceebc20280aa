import { expect, it } from "vitest";
import * as benefits from "#lib/store/benefits.ts";
import { keys } from "#lib/store/keys.ts";
import type { OpenTable } from "#lib/store/table.ts";
import { handler as removeTier } from "../../../functions/tiers/remove.ts";
import { invoke, startTable } from "../../support/direct.ts";
import { aCommunity, givenBy } from "../../support/given.ts";

const test = startTable();

it("a tier is not deleted if a benefit is assigned to it between the reads of the benefits and of the tier", async () => {
  const community = await aCommunity(test.table);
  const { id } = community.tier;
  const benefit = { name: "Tasting", description: "", position: 1, tier_ids: [id] };
  const platform = test.platform();
  const { sk } = keys.tier(community.id, id);
  const added = Promise.withResolvers<void>();
  let isFirst = true;
  const late: OpenTable = (signal) => {
    const table = platform.table(signal);
    return {
      ...table,
      query: async (input) => {
        const page = await table.query(input);
        if (isFirst) {
          isFirst = false;
          await benefits.add(test.table, await benefits.open(test.table, community.id), benefit, givenBy());
          added.resolve();
        }
        return page;
      },
      get: async (key) => {
        if (key.sk === sk) await added.promise;
        return table.get(key);
      },
    };
  };
  const answer = await invoke(
    removeTier,
    { ...platform, table: late },
    { as: { id: 1, groups: ["admin"] }, params: { id } },
  );
  expect(answer).toMatchObject({ status: 409, body: { code: "tier_in_use" } });
});
