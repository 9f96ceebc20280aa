import { routes } from "#lib/contract/index.ts";
import type { Endpoint } from "#lib/http/handler.ts";
import type { Outside } from "#lib/person/outside.ts";
import { assumptions, billedMs, dollarsPerMillion } from "./prices.ts";
import { busyCommunities, type Given, requestsOf } from "./requests.ts";
import type { Result } from "./result.ts";
import { openShop, type Shop, type Taken } from "./shop.ts";
import { interleaved, medians } from "./statistics.ts";

/** Measures the cost of a request to each route. */
export async function run(): Promise<Result> {
  const shop = await openShop();
  try {
    return report(await measureRoutes(shop, await busyCommunities(shop)));
  } finally {
    await shop.money.close();
  }
}

/** The module of a route. Those of erasures can be given another user pool and bucket. */
type RouteModule = { readonly handler: Endpoint; readonly erasing?: (outside: Outside) => Endpoint };

export type Measured = { readonly key: string; readonly taken: Taken };

/** Measures a request to each route that uses the table. Returns medians. */
export async function measureRoutes(
  shop: Shop,
  given: Given,
  { rounds = 7, warmUp = 2 }: { readonly rounds?: number; readonly warmUp?: number } = {},
): Promise<Measured[]> {
  const taken = await interleaved(await casesOf(shop, given), { rounds, warmUp }, async ({ handler, request }) =>
    shop.measure(handler, await request()),
  );
  return taken.map(({ testCase: { key }, samples }) => ({ key, taken: medians(samples) }));
}

/**
 * Returns a request for each route that uses the table.
 *
 * @throws Error if a route has no request in `requests.ts`
 */
export async function casesOf(shop: Shop, given: Given) {
  const requests = await requestsOf(shop, given);
  return Promise.all(
    routes
      .filter(({ table }) => table)
      .map(async ({ id, key, area, file }) => {
        const { handler, erasing } = (await import(`../../functions/${area}/${file}.ts`)) as RouteModule;
        const request = requests[id];
        if (!request) throw new Error(`There is no request of ${key} to measure: add one to requests.ts`);
        return { key, handler: erasing?.(shop.money.outside) ?? handler, request };
      }),
  );
}

function report(measured: readonly Measured[]): Result {
  const reads = measured.filter(({ key, taken }) => key.startsWith("GET") && taken.stripeCalls === 0);
  const most = Math.max(...reads.map(({ taken }) => taken.roundTrips));
  return {
    method:
      "A successful request by an admin, in a community with 20 benefits and 30 members: median of 7 warm requests, " +
      `with the capacity that the engine counts. Billed time is estimated from the CPU time on this machine, ${assumptions}. ` +
      "Prices are those of us-east-1 (tools/bench/prices.ts): HTTP API, Lambda on arm64 and DynamoDB on demand, without the " +
      "later work of the stream consumers.",
    rows: measured.map(({ key, taken }) => ({
      route: `\`${key.replace("/odis/v1", "")}\``,
      "round trips": taken.roundTrips,
      "to Stripe": taken.stripeRoundTrips,
      RRU: taken.readUnits,
      WRU: taken.writeUnits,
      "billed ms": billedMs(taken),
      "$ per million": dollarsPerMillion(taken),
    })),
    claims: [
      {
        claim: "A read that does not call Stripe takes at most 2 sequential round trips",
        measured: `${most}`,
        holds: most <= 2,
      },
    ],
  };
}
