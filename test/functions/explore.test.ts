import * as v from "valibot";
import { beforeAll, describe, expect, it } from "vitest";
import { compact } from "#lib/discovery/compaction.ts";
import { directoryCache } from "#lib/discovery/directory.ts";
import { isMember } from "#lib/domain/access.ts";
import type { Listing } from "#lib/domain/listing.ts";
import type { DirectoryRow } from "#lib/store/directory-rows.ts";
import { keys } from "#lib/store/keys.ts";
import { membershipOf } from "#lib/store/members/item.ts";
import type { Reader } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import type { MemberStatus } from "#lib/values/member-status.ts";
import { exploring } from "../../functions/discovery/explore.ts";
import { counted } from "../support/counting.ts";
import { invoke, startTable } from "../support/direct.ts";
import { memberOf } from "../support/given.ts";
import { type GivenRow, listed, rowOf, seeded, writeRow } from "../support/listing.ts";
import { memoryBucket } from "../support/objects.ts";

const test = startTable();

// In the future, so that no item is expired.
let clock = Date.parse("2200-01-01T00:00:00.000Z");
const now = () => new Date(clock);
const week = 7 * 86_400_000;

type Query = { query?: string; filter?: "all" | "trending" | "my_communities"; page?: number; per?: number };
type Environment = ReturnType<typeof exploring>;
const bucket = memoryBucket();
const environment = (): Environment => exploring(directoryCache(bucket));

async function ask(of: Environment, query: Query = {}, userId?: number) {
  const { status, body } = await invoke(of, test.platform({ now }), {
    query: new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
    ).toString(),
    ...(userId !== undefined && { as: { id: userId } }),
  });
  return { status, body };
}

type MembershipState = { readonly status: MemberStatus; readonly is_blocked: boolean; readonly tier_id: number };

/** Stores a membership as a sync from Stripe or a block does. */
async function setMembership(
  userId: number,
  communityId: number,
  { status, is_blocked, tier_id }: MembershipState,
): Promise<void> {
  const community = { id: communityId, owner: { id: 1 }, tier: { id: tier_id } };
  const member = memberOf(community as never, { status, is_blocked, user: { id: userId } });
  await write(test.table, [{ put: membershipOf(member) }]);
}

const isIn = ({ status, is_blocked }: MembershipState) =>
  isMember({ status, is_blocked, cancel_at_period_end: false, cancel_at: null, current_period_end: "" });

/** Rounds of twenty requests. */
const rounds = Number(process.env.EXPLORE_ROUNDS ?? 40);
/** Rounds between two snapshots. */
const span = Math.ceil(rounds / 5);

describe("explore while communities are created, renamed and archived, and people join and leave", () => {
  const random = seeded(600);
  const truth = new Map<number, GivenRow>();
  const own = new Map<number, Map<number, MembershipState>>(Array.from({ length: 20 }, (_, n) => [n + 1, new Map()]));

  const aRow = (id: number): DirectoryRow =>
    rowOf({
      id,
      name: random.name(),
      avatar_url: random.pick([null, `https://images.example/${id}.png`]),
      member_count: random.pick([0, random.below(5), random.below(5000)]),
      trend_score: random.pick([null, clock / week - 6 + 7 * random.next()]),
      joiners: random.below(9),
      trending_pin: random.pick([null, null, null, null, null, null, "on", "off"]),
      is_listed: random.below(20) > 0,
      badges: { "1": "Friend", "2": random.pick(["Patron", "Ñ"]) },
    });

  async function changeRow(id: number): Promise<void> {
    const before = truth.get(id);
    truth.set(id, await writeRow(test.table, aRow(id), now(), before && [before]));
  }

  async function changeMembership(): Promise<void> {
    const userId = 1 + random.below(20);
    const communityId = 1 + random.below(3000);
    const state = {
      status: random.pick<MemberStatus>(["active", "trialing", "past_due", "unpaid", "canceled", "incomplete"]),
      is_blocked: random.below(4) === 0,
      tier_id: 1 + random.below(2),
    };
    own.get(userId)?.set(communityId, state);
    await setMembership(userId, communityId, state);
  }

  beforeAll(async () => {
    const ids = Array.from({ length: 3000 }, (_, n) => n + 1);
    while (ids.length > 0) await Promise.all(ids.splice(0, 50).map(changeRow));
    clock += 3_600_000;
  });

  function expected({ query = "", filter = "all", page = 1, per = 20 }: Query, userId: number | undefined) {
    const mine = (userId === undefined ? undefined : own.get(userId)) ?? new Map<number, MembershipState>();
    const ids = new Set([...mine].filter(([, state]) => isIn(state)).map(([id]) => id));
    const filters = { all: "all" as const, trending: { trendingAt: now() }, my_communities: { ids } };
    const rows = [...truth.values()].filter(({ row }) => row.is_listed).map(({ row }) => ({ ...row, changed: 0 }));
    const { data, ...found } = listed(rows, { query, filter: filters[filter], page, per });
    return {
      ...found,
      page,
      per,
      data: data.map(
        ({ id, uuid, name, slug, member_count, avatar_url, badges }): v.InferOutput<typeof Listing> => ({
          id: uuid,
          community_id: id,
          name,
          slug,
          member_count,
          avatar_url,
          tier_badge: ids.has(id) ? (badges[String(mine.get(id)?.tier_id)] ?? null) : null,
          is_member: ids.has(id),
        }),
      ),
    };
  }

  function question(): { query: Query; userId: number | undefined } {
    const userId = random.pick([undefined, 1 + random.below(20)]);
    const filter = random.pick(["all", "trending", "my_communities"] as const);
    return {
      userId,
      query: {
        query: random.query(),
        filter: userId === undefined && filter === "my_communities" ? "all" : filter,
        page: random.pick([1, 1, 2, 1 + random.below(200)]),
        per: random.pick([20, 1 + random.below(100)]),
      },
    };
  }

  it("explore in two environments returns what filtering, folding and sorting all communities returns", async () => {
    const environments = [environment(), environment()];
    for (let round = 0; round < rounds; round++) {
      clock += 1000 + random.below(30_000);
      await Promise.all([
        changeRow(1 + random.below(1500)),
        changeRow(1501 + random.below(1550)),
        changeMembership(),
        changeMembership(),
      ]);
      if (round % span === Math.floor(span / 2)) {
        // The environments are replaced in turn by new ones, which load the snapshot and what changed since.
        expect(await compact(test.table, now(), { objects: bucket, rows: 1, changes: () => 0 })).toBe("compacted");
        environments[Math.floor(round / span) % 2] = environment();
      }
      const questions = Array.from({ length: 20 }, question);
      const answers = questions.map(({ query, userId }) => ask(random.pick(environments), query, userId));
      for (const [n, { status, body }] of (await Promise.all(answers)).entries()) {
        const { query, userId } = questions[n] ?? question();
        expect({ round, query, userId, status, ...body }).toEqual({
          round,
          query,
          userId,
          status: 200,
          ...expected(query, userId),
        });
      }
    }
  }, 600_000);
});

describe("explore right after a change", () => {
  const id = 900_001;
  let given: GivenRow;
  let [one, other]: Environment[] = [];
  beforeAll(async () => {
    clock += 3_600_000;
    given = await writeRow(test.table, rowOf({ id, name: "Palenque", badges: { "1": "Friend" } }), now());
    [one, other] = [environment(), environment()];
    for (const of of [one, other]) await ask(of);
  });

  const shown = async (of: Environment | undefined, query: string, userId?: number) => {
    const { body } = await ask(of ?? environment(), { query }, userId);
    return body?.data;
  };

  it.each<[string, MembershipState, object]>([
    ["a join", { status: "active", is_blocked: false, tier_id: 1 }, { is_member: true, tier_badge: "Friend" }],
    ["a block", { status: "active", is_blocked: true, tier_id: 1 }, { is_member: false, tier_badge: null }],
    ["an unblock", { status: "active", is_blocked: false, tier_id: 1 }, { is_member: true, tier_badge: "Friend" }],
    ["a cancellation", { status: "canceled", is_blocked: false, tier_id: 1 }, { is_member: false, tier_badge: null }],
  ])("explore shows the person's change in their next request: %s", async (_, state, expected) => {
    await setMembership(77, id, state);
    expect(await shown(one, "palenque", 77)).toMatchObject([expected]);
  });

  it("warm environments show a rename and an archived community after a second", async () => {
    given = await writeRow(test.table, { ...given.row, name: "Agave House" }, now(), [given]);
    clock += 1000;
    expect(await shown(one, "palenque")).toEqual([]);
    expect(await shown(other, "agave house")).toMatchObject([{ name: "Agave House" }]);
    given = await writeRow(test.table, { ...given.row, is_listed: false }, now(), [given]);
    clock += 1000;
    for (const of of [one, other]) expect(await shown(of, "agave house")).toEqual([]);
  });
});

it.each([
  ["of a signed-in person takes one round trip", 77, 0, { roundTrips: 1, consumed: 1 }],
  [
    "of a signed-in person takes one round trip if the directory is a second old",
    77,
    1000,
    { roundTrips: 1, consumed: 1.5 },
  ],
  ["without a token takes no round trip", undefined, 999, { roundTrips: 0, consumed: 0 }],
  [
    "without a token takes one round trip if the directory is a second old",
    undefined,
    1000,
    { roundTrips: 1, consumed: 0.5 },
  ],
])("a request of explore in a warm environment %s", async (_, userId, later, expected) => {
  clock += 3_600_000;
  const warm = environment();
  await ask(warm);
  clock += later;
  const count = counted(test.client);
  await ask(warm, { filter: "trending" }, userId);
  const { roundTrips, units: consumed } = count.take();
  expect({ roundTrips, consumed }).toEqual(expected);
});

describe("an execution environment", () => {
  it("an environment loads the directory once for all requests of its cold start", async () => {
    const cache = directoryCache();
    const loads: string[] = [];
    const table: Reader = {
      ...test.table,
      get: (key) => {
        if (key.sk === keys.snapshot().sk) loads.push(key.sk);
        return test.table.get(key);
      },
    };
    const looks = await Promise.all(Array.from({ length: 10 }, () => cache.refresh(table, now())));
    expect(new Set(looks).size).toBe(1);
    expect(loads).toHaveLength(1);
  });

  it("an environment loads the directory in a second request if the first one fails", async () => {
    const cache = directoryCache();
    const broken = { ...test.table, get: () => Promise.reject(new Error("down")) };
    const results = await Promise.allSettled([cache.refresh(broken, now()), cache.refresh(test.table, now())]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });
});

describe("explore", () => {
  it.each(["filter=my_communities", "filter=my_communities&page=0", "filter=my_communities&filter=all"])(
    "explore returns 401 for %s without a token, before any other check",
    async (query) => {
      const { status, body } = await invoke(environment(), test.platform({ now }), { query });
      expect({ status, code: body?.code }).toEqual({ status: 401, code: "missing_token" });
    },
  );

  it("explore treats a per above 100 as 100", async () => {
    const { body } = await ask(environment(), { per: 1000 });
    expect(body).toMatchObject({ per: 100, page: 1 });
  });
});
