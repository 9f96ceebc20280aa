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

const inProgress = named("TransactionInProgressException");
const canceled = named("TransactionCanceledException", { CancellationReasons: [{ Code: "TransactionConflict" }] });

/**
 * Runs work in which the responses to the first transactions are errors, although the first of them is performed if its
 * response is that it is in progress. Returns the tokens of all transactions.
 */
async function failing(errors: readonly Error[], work: () => Promise<unknown>): Promise<unknown[]> {
  const tokens: unknown[] = [];
  test.client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        if (!commandName.startsWith("TransactWrite")) return next(args);
        tokens.push((args.input as TransactWriteCommandInput).ClientRequestToken);
        const error = errors[tokens.length - 1];
        if (!error) return next(args);
        if (error === inProgress && tokens.length === 1) await next(args);
        throw error;
      },
    { step: "initialize", name: "failing" },
  );
  try {
    await work();
  } finally {
    test.client.middlewareStack.remove("failing");
  }
  return tokens;
}

/** Makes a request in which the responses to the first transactions are errors. */
async function requestFailing<T>(errors: readonly Error[], request: () => Promise<T>): Promise<T> {
  let response: T | undefined;
  await failing(errors, async () => {
    response = await request();
  });
  return response as T;
}

const outcomes = [
  ["performed and reported as in progress", [inProgress]],
  ["performed and reported as in progress, and its repetition is canceled by a conflict", [inProgress, canceled]],
] as const;

const asOwner = () => ({
  as: { ...community.owner, auth_time: Math.floor(signedInAt.getTime() / 1000) },
  params: { community_id: community.id },
});

const creations = [
  ["benefit", createBenefit, listBenefits, { benefit: { name: "Stickers" } }],
  ["API key", createApiKey, listApiKeys, { api_key: { name: "Warehouse", role: "viewer" } }],
] as const;

it.each(outcomes.flatMap(([how, errors]) => creations.map(([what, ...rest]) => [what, how, errors, ...rest] as const)))(
  "a request creates one %s if its transaction is %s",
  async (_, __, errors, create: Endpoint, list: Endpoint, body) => {
    const platform = test.platform();
    const created = await requestFailing(errors, () => invoke(create, platform, { ...asOwner(), body }));
    expect(created).toMatchObject({ status: 201 });
    expect((await invoke(list, platform, asOwner())).body?.data).toMatchObject([{ id: created.body?.id }]);
  },
);

it("a community is created if its transaction is performed and reported as in progress", async () => {
  const created = await requestFailing([inProgress], () =>
    invoke(createCommunity, test.platform(), {
      as: { id: 1, groups: ["admin"] },
      body: { community: { name: "Mezcal", slug: `s-${randomUUID()}`, owner_id: community.owner.id } },
      headers: { "idempotency-key": randomUUID() },
    }),
  );
  expect(created).toMatchObject({ status: 201 });
});

it("a canceled transaction is repeated with another token, because DynamoDB may know the first one", async () => {
  const put = () => ({ put: { ...keys.lease(randomUUID()), until: 1 }, when: "absent" as const });
  const tokens = await failing([canceled], () => write(test.table, [put(), put()]));
  expect([tokens.length, new Set(tokens).size]).toEqual([2, 2]);
});
