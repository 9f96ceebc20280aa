import { marshall } from "@aws-sdk/util-dynamodb";
import { consume } from "#lib/projections/consume.ts";
import { itemOf } from "#lib/store/members/item.ts";
import { casesOf, type Measured } from "./cost.ts";
import { type Direction, directions } from "./directions.ts";
import { communitiesOf, fillDirectory, warmSearch } from "./directories.ts";
import { plotOf } from "./plot.ts";
import type { Given } from "./requests.ts";
import type { Claim, Result } from "./result.ts";
import { openShop, type Shop, type Taken } from "./shop.ts";
import { growthExponent } from "./statistics.ts";
import { startTable } from "./table.ts";

const figures = {
  "round trips": "roundTrips",
  RRU: "readUnits",
  WRU: "writeUnits",
  "calls to Stripe": "stripeCalls",
} as const satisfies Readonly<Record<string, keyof Taken>>;

type Cost = Pick<Taken, (typeof figures)[keyof typeof figures]>;

/** The costs of a request at each size. */
type Growing = {
  readonly direction: string;
  readonly request: string;
  readonly costs: readonly (readonly [size: number, cost: Cost])[];
};

/** Requests that return or erase everything about a person. */
const whole = /\/(data|erase|me)$/;
/** Changes of the content of a community: the next request to read it reads all of it. */
const contentChanges = /^(POST|PATCH|DELETE) .*\/(tiers|benefits)\b/;
const lists = /^GET .*\/(members|payment_history|activity|deliveries|communities|brands)$/;
/** Number of members that the requests use, and a few more. */
const uses = 40;
/** Difference of capacity units or calls that is not growth: a community is read with its tiers, some requests read it twice. */
const allowance = 6;

/** Measures whether requests cost more with more records that they do not return. */
export async function run(): Promise<Result> {
  const growing: Growing[] = [];
  for (const direction of directions) growing.push(...(await growthIn(direction)));
  growing.push({ direction: "communities", request: "GET /discovery/explore", costs: await explored() });
  return report(growing);
}

async function growthIn(direction: Direction): Promise<Growing[]> {
  const bySize: (readonly [number, readonly Measured[]])[] = [];
  for (const size of direction.sizes) {
    const shop = await openShop();
    try {
      const given = await direction.given(shop, size, uses);
      bySize.push([
        size,
        [...(await measured(shop, given)), { key: "projection of a block", taken: await projection(shop, given) }],
      ]);
    } finally {
      await shop.money.close();
    }
  }
  const keys = (bySize[0]?.[1] ?? []).map(({ key }) => key).filter((key) => !whole.test(key));
  return keys.map((key) => ({
    direction: direction.name,
    request: key.replace("/odis/v1", ""),
    costs: bySize.flatMap(([size, all]) =>
      all.filter((one) => one.key === key).map(({ taken }) => [size, taken] as const),
    ),
  }));
}

/** Measures the second of two requests to each route. A list returns one record. */
async function measured(shop: Shop, given: Given): Promise<Measured[]> {
  const measurements: Measured[] = [];
  for (const { key, handler, request } of await casesOf(shop, given)) {
    const page = lists.test(key) ? { query: "per=1" } : {};
    const measure = async () => shop.measure(handler, { ...(await request()), ...page });
    await measure();
    measurements.push({ key, taken: await measure() });
  }
  return measurements;
}

/** Counts the block of a member, as the consumer of the stream does. */
async function projection({ money, take }: Shop, { spare, subscriber }: Given): Promise<Taken> {
  const member = await (subscriber ?? (() => money.aSubscriber(spare)))();
  const image = (isBlocked: boolean) =>
    marshall(itemOf({ ...member, is_blocked: isBlocked }), { removeUndefinedValues: true });
  const { pk, sk } = image(false);
  const at = Math.floor(Date.now() / 1000);
  const images = { OldImage: image(false), NewImage: image(true) };
  const dynamodb = { ...images, Keys: { pk, sk }, SequenceNumber: "1", ApproximateCreationDateTime: at };
  return take(async () => {
    const { failed, unreadable } = await consume(
      money.table,
      [{ eventID: `block of ${member.id}`, eventName: "MODIFY", dynamodb } as never],
      new Date(),
    );
    if (failed.length + unreadable.length > 0) throw new Error("The block was not counted");
  });
}

/** Measures warm searches among numbers of communities. */
async function explored() {
  const costs: [number, Cost][] = [];
  for (const size of [100, 1000, 10_000, 100_000]) {
    const bench = await startTable();
    try {
      await fillDirectory(bench, communitiesOf(size));
      const { roundTrips, units } = await warmSearch(bench);
      costs.push([size, { roundTrips, readUnits: units, writeUnits: 0, stripeCalls: 0 }]);
    } finally {
      await bench.stop();
    }
  }
  return costs;
}

function report(growing: readonly Growing[]): Result {
  const names = [...new Set(growing.map(({ direction }) => direction))];
  const rows = growing.flatMap((one) =>
    Object.entries(figures).flatMap(([figure, of]) => {
      const values = one.costs.map(([, cost]) => cost[of]);
      const by = Math.max(...values) - Math.min(...values);
      if (by === 0) return [];
      const exponent = growthExponent(one.costs.map(([size, cost]) => [size, cost[of]]));
      return [{ ...one, figure, cost: values.join(" / "), by, exponent }];
    }),
  );
  const claims = names.map((direction): Claim => {
    const counted = rows.filter((row) => row.direction === direction && !contentChanges.test(row.request));
    if (direction === "payments of the member") return addedByEach(counted);
    const grown = counted.filter(({ by, exponent }) => by > allowance && exponent > 0.05);
    return {
      claim: `Every request costs as much with the most ${direction} as with the fewest, up to ${allowance} units`,
      measured: grown.length === 0 ? "all do" : `${new Set(grown.map(({ request }) => request)).size} do not`,
      holds: grown.length === 0,
    };
  });
  return {
    method:
      "Successful requests to each route, and the projection of a change, with more and more of one kind of record: " +
      directions.map(({ name, sizes }) => `${sizes.join(", ")} ${name}`).join("; ") +
      ". Only costs that differ are listed, with the exponent of their growth (0: constant, 1: linear). Exports and erasures are left out.",
    rows: rows.map(({ direction, request, figure, cost, exponent }) => ({
      direction,
      request: `\`${request}\``,
      figure,
      cost,
      exponent: exponent.toFixed(3),
    })),
    claims,
    plot: plotOf(
      names.map((direction) => ({
        name: direction,
        points: meanUnits(growing.filter((one) => one.direction === direction)),
      })),
      { x: "number of records", y: "capacity units of a request on average (RRU + WRU)" },
    ),
  };
}

/** All payments are read (`docs/decisions/062-all-payments-are-read.md`). */
function addedByEach(rows: readonly (Growing & { readonly by: number })[]): Claim {
  const most = Math.max(...rows.map(({ by, costs }) => by / (costs.at(-1)?.[0] ?? 1)));
  return {
    claim: "Each payment of a member adds at most 0.2 units to the cost of a request",
    measured: most.toFixed(2),
    holds: most <= 0.2,
  };
}

/** Mean capacity units of all requests by size. */
function meanUnits(growing: readonly Growing[]): [number, number][] {
  const sizes = (growing[0]?.costs ?? []).map(([size]) => size);
  return sizes.map((size, n) => {
    const units = growing.map(({ costs }) => (costs[n]?.[1].readUnits ?? 0) + (costs[n]?.[1].writeUnits ?? 0));
    return [size, units.reduce((sum, value) => sum + value, 0) / units.length];
  });
}
