import { handler as list } from "../../functions/members/list.ts";
import { handler as show } from "../../functions/members/show.ts";
import { handler as update } from "../../functions/members/update.ts";
import { handler as webhook } from "../../functions/webhooks/stripe.ts";
import { communitiesOf, fillDirectory, warmSearch } from "./directories.ts";
import { plotOf } from "./plot.ts";
import { type Population, populate } from "./populations.ts";
import { refundWithEvent } from "./requests.ts";
import type { Result } from "./result.ts";
import { openShop, type Shop, type Taken } from "./shop.ts";
import { growthExponent, interleaved, medians } from "./statistics.ts";
import { startTable } from "./table.ts";

const sizes = [100, 1000, 10_000, 100_000] as const;
const figures = { "round trips": "roundTrips", RRU: "readUnits", WRU: "writeUnits" } as const;

type Cost = Pick<Taken, "roundTrips" | "readUnits" | "writeUnits">;
/** The costs of a request at each size. */
type Growing = { readonly name: string; readonly costs: readonly (readonly [size: number, cost: Cost])[] };

/** Measures whether requests cost more with more records that they do not return. */
export async function run(): Promise<Result> {
  const explored: [number, Cost][] = [];
  for (const size of sizes) explored.push([size, await exploreAmong(size)]);
  const shop = await openShop();
  try {
    const { client, table, name } = shop.money;
    const populations = await populate({ client, table, name }, sizes);
    const members = await Promise.all(populations.map((population) => subscriberIn(shop, population)));
    const taken = await interleaved(members, { rounds: 5, warmUp: 1 }, (member, round) =>
      memberRequests(shop, member, round),
    );
    const names = Object.keys(taken[0]?.samples[0] ?? {}) as (keyof Awaited<ReturnType<typeof memberRequests>>)[];
    const ofMembers = names.map(
      (request): Growing => ({
        name: request,
        costs: taken.map(({ testCase, samples }) => [testCase.size, medians(samples.map((sample) => sample[request]))]),
      }),
    );
    return report([...ofMembers, { name: "explore", costs: explored }]);
  } finally {
    await shop.money.close();
  }
}

/** Measures a warm search among `size` communities. */
async function exploreAmong(size: number): Promise<Cost> {
  const bench = await startTable();
  try {
    await fillDirectory(bench, communitiesOf(size));
    const { roundTrips, units } = await warmSearch(bench);
    return { roundTrips, readUnits: units, writeUnits: 0 };
  } finally {
    await bench.stop();
  }
}

/** Adds a member who pays through Stripe to a population. */
async function subscriberIn({ money }: Shop, { size, community }: Population) {
  const { id } = await money.aSubscriber(await money.price(community));
  return { size, params: { community_id: community.id, id } };
}

type Member = Awaited<ReturnType<typeof subscriberIn>>;

async function memberRequests(shop: Shop, { params }: Member, round: number) {
  const { measure } = shop;
  const listed = await measure(list, { params: { community_id: params.community_id } });
  const shown = await measure(show, { params });
  const patched = await measure(update, { params, body: { member: { metadata: { seat: `A${round}` } } } });
  const { taken, event } = await refundWithEvent(shop, params);
  return { list: listed, show: shown, PATCH: patched, refund: taken, webhook: await measure(webhook, event) };
}

function report(growing: readonly Growing[]): Result {
  const exponent = ({ costs }: Growing, of: keyof Cost) =>
    growthExponent(costs.map(([size, cost]) => [size, cost[of]]));
  const worst = (of: keyof Cost) => Math.max(...growing.map((request) => exponent(request, of)));
  const claim = (heading: keyof typeof figures) => {
    const highest = worst(figures[heading]);
    return {
      claim: `The ${heading} of every request grow with an exponent ≤ 0.05`,
      measured: highest.toFixed(3),
      holds: highest <= 0.05,
    };
  };
  return {
    method:
      "An admin's requests for a page of 20 members and for a paying member, in communities of 100, 1,000, 10,000 and 100,000 " +
      "members in one table, and warm searches among the same numbers of communities: the cost at each size where it " +
      "differs, and the exponent of its growth (0: constant, 1: linear).",
    rows: growing.map((request) => ({
      request: request.name,
      ...Object.fromEntries(
        Object.entries(figures).flatMap(([heading, of]) => [
          [heading, [...new Set(request.costs.map(([, cost]) => cost[of]))].join(" / ")],
          [`exponent of ${heading}`, exponent(request, of).toFixed(3)],
        ]),
      ),
    })),
    claims: [claim("round trips"), claim("RRU")],
    plot: plotOf(
      growing.map(({ name, costs }) => ({
        name,
        points: costs.map(([size, { readUnits, writeUnits }]) => [size, readUnits + writeUnits]),
      })),
      { x: "members of the community, or communities", y: "capacity units per request (RRU + WRU)" },
    ),
  };
}
