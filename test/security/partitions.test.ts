import { beforeAll, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { directoryCache } from "#lib/discovery/directory.ts";
import { keys } from "#lib/store/keys.ts";
import { partitions } from "#lib/store/partitions.ts";
import * as users from "#lib/store/users.ts";
import { handler as listCommunities } from "../../functions/communities/list.ts";
import { handler as showCommunity } from "../../functions/communities/show.ts";
import { exploring } from "../../functions/discovery/explore.ts";
import { handler as listTiers } from "../../functions/tiers/list.ts";
import { handler as showTier } from "../../functions/tiers/show.ts";
import { type Call, invoke, startTable } from "../support/direct.ts";
import { aCommunity, aMember } from "../support/given.ts";
import { memoryBucket } from "../support/objects.ts";
import { setUp } from "../support/set-up.ts";

const test = startTable();
const asked = new Set<string>();

type Input = {
  readonly Key?: { readonly pk: string };
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly { readonly pk: string }[] }>>;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
};

/** The partition keys of a command, with which `dynamodb:LeadingKeys` is compared. */
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

type TriedCall = Call & { readonly isAdmin?: boolean; readonly isMine?: boolean };

const matching = (pattern: string) => new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);

it("every route without a token that uses the table is limited to partitions, except the signed webhook", () => {
  const open = routes.filter(({ access, table }) => table && (access === "public" || access === "optional"));
  expect(open.filter((route) => !route.partitions).map(({ id }) => id)).toEqual(["WebhooksStripe"]);
});

const explore = exploring(directoryCache(memoryBucket()));
const slug = "partitions";
const community = setUp(() => aCommunity(test.table, { slug }));

it.each([
  { endpoint: explore, calls: () => [{}, { query: "filter=my_communities", isMine: true }] },
  { endpoint: showCommunity, calls: () => [{ params: { id: community.id } }] },
  { endpoint: listCommunities, calls: () => [{ query: `slug=${slug}` }, { isAdmin: true }] },
  { endpoint: listTiers, calls: () => [{ params: { community_id: community.id } }] },
  { endpoint: showTier, calls: () => [{ params: { id: community.tier.id } }] },
])("$endpoint.route.path reads only the partitions that its route declares", async ({ endpoint, calls }) => {
  const member = await aMember(test.table, community);
  asked.clear();
  let groups: string[] = [];
  const on = test.platform({
    identify: async (_, table) => ({
      id: (table && (await users.idOf(table, "sub"))) ?? member.user.id,
      sub: "sub",
      username: "",
      groups,
      authTime: 0,
    }),
  });
  // A cold start reads the platform's settings.
  await on.table().get(keys.user(0));
  const as = { id: member.user.id };
  for (const { isAdmin = false, isMine = false, ...call } of calls() as readonly TriedCall[]) {
    groups = isAdmin ? ["admin"] : [];
    const withToken = await invoke(endpoint, on, { ...call, as });
    expect(withToken.status).toBe(200);
    if (!isAdmin && !isMine) expect((await invoke(endpoint, on, call)).status).toBe(200);
  }

  const patterns = (endpoint.route.partitions ?? []).map((name) => matching(partitions[name]));
  expect([...asked].filter((key) => !patterns.some((pattern) => pattern.test(key)))).toEqual([]);
  expect(patterns.filter((pattern) => ![...asked].some((key) => pattern.test(key)))).toEqual([]);
});
