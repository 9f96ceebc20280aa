import * as fc from "fast-check";
import { expect, it } from "vitest";
import { list } from "#lib/contract/members.ts";
import { handler as listMembers } from "../../../functions/members/list.ts";
import { admin } from "../../support/api.ts";
import { invoke, startTable } from "../../support/direct.ts";
import { aCommunity, aMember } from "../../support/given.ts";

const test = startTable();

it("a request for a list of members returns 200 or 422 for any query string", async () => {
  const community = await aCommunity(test.table);
  await aMember(test.table, community);
  const params = { community_id: community.id };

  const name = fc.constantFrom(...Object.keys(list.query.entries), "other");
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 70 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom("%", "%ff", "%00", "+", "", "1", "true", "active", "-created_at", "a.b", "%ud800"),
  );
  const pair = fc.tuple(name, value).map((parts) => parts.join("="));
  const queries = fc.array(
    fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join("&")),
    { minLength: 50, maxLength: 50 },
  );
  await fc.assert(
    fc.asyncProperty(queries, async (queryStrings) => {
      const platform = test.platform();
      const answers = await Promise.all(
        queryStrings.map((query) => invoke(listMembers, platform, { params, query, as: admin })),
      );
      for (const [n, { status }] of answers.entries()) expect([queryStrings[n], 200, 422]).toContain(status);
    }),
    { numRuns: 20 },
  );
});
