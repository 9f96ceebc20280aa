import { beforeAll, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { directoryCache } from "#lib/discovery/directory.ts";
import { keys } from "#lib/store/keys.ts";
import { partitions } from "#lib/store/partitions.ts";
import * as users from "#lib/store/users.ts";
import { exploring } from "../../functions/discovery/explore.ts";
import { invoke, startTable } from "../support/direct.ts";
import { aCommunity, aMember } from "../support/given.ts";
import { memoryBucket } from "../support/objects.ts";

const test = startTable();
const asked = new Set<string>();

type Input = {
  readonly Key?: { readonly pk: string };
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly { readonly pk: string }[] }>>;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
};

/** The partition keys that a command names: those that `dynamodb:LeadingKeys` is compared with. */
function leadingKeysOf({ Key, RequestItems = {}, KeyConditionExpression, ExpressionAttributeValues }: Input): string[] {
  const [, value = ""] = /^#n0 = (:v\d+)/.exec(KeyConditionExpression ?? "") ?? [];
  return [
    ...(Key ? [Key.pk] : []),
    ...Object.values(RequestItems).flatMap(({ Keys }) => Keys.map(({ pk }) => pk)),
    ...(KeyConditionExpression === undefined ? [] : [String(ExpressionAttributeValues?.[value])]),
  ];
}

beforeAll(() => {
  test.client.middlewareStack.add(
    (next) => (args) => {
      for (const key of leadingKeysOf(args.input as Input)) asked.add(key);
      return next(args);
    },
    { step: "initialize" },
  );
});

it("finding C5: a route that answers without a token and uses the table is confined to partitions, but for the signed webhook", () => {
  const open = routes.filter(({ access, table }) => table && (access === "public" || access === "optional"));
  expect(open.filter((route) => !route.partitions).map(({ id }) => id)).toEqual(["WebhooksStripe"]);
});

it("finding C5: a search reads only partitions that its route names, for anybody and for somebody of unknown id", async () => {
  const member = await aMember(test.table, await aCommunity(test.table));
  asked.clear();
  const on = test.platform({
    identify: async (_, table) => ({
      id: (table && (await users.idOf(table, "sub"))) ?? member.user.id,
      sub: "sub",
      username: "",
      groups: [],
      authTime: 0,
    }),
  });
  // What the platform asks for at a cold start.
  await on.table().get(keys.user(0));
  const explore = exploring(directoryCache(memoryBucket()));
  for (const call of [{}, { as: { id: member.user.id }, query: "filter=my_communities" }])
    expect((await invoke(explore, on, call)).status).toBe(200);

  const named = explore.route.partitions ?? [];
  const patterns = named.map((name) => ({ name, start: partitions[name].slice(0, -1) }));
  expect(asked.size).toBeGreaterThanOrEqual(4);
  expect([...asked].filter((key) => !patterns.some(({ start }) => key.startsWith(start)))).toEqual([]);
  expect(patterns.filter(({ start }) => ![...asked].some((key) => key.startsWith(start)))).toEqual([]);
});
