import { randomUUID } from "node:crypto";
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import type { Endpoint } from "#lib/http/handler.ts";
import { keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { handler as createBenefit } from "../../../functions/benefits/create.ts";
import { handler as listBenefits } from "../../../functions/benefits/list.ts";
import { handler as createCommunity } from "../../../functions/communities/create.ts";
import { handler as createApiKey } from "../../../functions/keys/create.ts";
import { handler as listApiKeys } from "../../../functions/keys/list.ts";
import { invoke, startTable } from "../../support/direct.ts";
import { aCommunity, type GivenCommunity } from "../../support/given.ts";

const test = startTable();
const signedInAt = new Date();
let community: GivenCommunity;
beforeEach(async () => {
  community = await aCommunity(test.table);
});

const named = (name: string, more: object = {}) => Object.assign(new Error(name), { name, ...more });

/** Runs work in which the response to the first transaction is an error. Returns the tokens of all its transactions. */
async function failingOnce(error: Error, isPerformed: boolean, work: () => Promise<unknown>): Promise<unknown[]> {
  const tokens: unknown[] = [];
  test.client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        if (!commandName.startsWith("TransactWrite")) return next(args);
        tokens.push((args.input as TransactWriteCommandInput).ClientRequestToken);
        if (tokens.length > 1) return next(args);
        if (isPerformed) await next(args);
        throw error;
      },
    { step: "initialize", name: "failing-once" },
  );
  try {
    await work();
  } finally {
    test.client.middlewareStack.remove("failing-once");
  }
  return tokens;
}

/** Makes a request whose first transaction is performed, while DynamoDB reports that it is still in progress. */
async function inProgressOnce<T>(request: () => Promise<T>): Promise<T> {
  let response: T | undefined;
  await failingOnce(named("TransactionInProgressException"), true, async () => {
    response = await request();
  });
  return response as T;
}

const asOwner = () => ({
  as: { ...community.owner, auth_time: Math.floor(signedInAt.getTime() / 1000) },
  params: { community_id: community.id },
});

it.each([
  ["benefit", createBenefit, listBenefits, { benefit: { name: "Stickers" } }],
  ["API key", createApiKey, listApiKeys, { api_key: { name: "Warehouse", role: "viewer" } }],
] as const)(
  "a request creates one %s if its transaction is performed and reported as in progress",
  async (_, create: Endpoint, list: Endpoint, body) => {
    const platform = test.platform();
    const created = await inProgressOnce(() => invoke(create, platform, { ...asOwner(), body }));
    expect(created).toMatchObject({ status: 201 });
    expect((await invoke(list, platform, asOwner())).body?.data).toMatchObject([{ id: created.body?.id }]);
  },
);

it("a community is created if its transaction is performed and reported as in progress", async () => {
  const created = await inProgressOnce(() =>
    invoke(createCommunity, test.platform(), {
      as: { id: 1, groups: ["admin"] },
      body: { community: { name: "Mezcal", slug: `s-${randomUUID()}`, owner_id: community.owner.id } },
      headers: { "idempotency-key": randomUUID() },
    }),
  );
  expect(created).toMatchObject({ status: 201 });
});

it("a canceled transaction is repeated with another token, because DynamoDB may know the first one", async () => {
  const canceled = named("TransactionCanceledException", { CancellationReasons: [{ Code: "TransactionConflict" }] });
  const put = () => ({ put: { ...keys.lease(randomUUID()), until: 1 }, when: "absent" as const });
  const tokens = await failingOnce(canceled, false, () => write(test.table, [put(), put()]));
  expect([tokens.length, new Set(tokens).size]).toEqual([2, 2]);
});
