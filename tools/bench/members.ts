import type { Endpoint } from "#lib/http/handler.ts";
import { handler as list } from "../../functions/members/list.ts";
import { handler as show } from "../../functions/members/show.ts";
import { handler as update } from "../../functions/members/update.ts";
import type { Call } from "../../test/support/direct.ts";
import { memberId, type Population, populate } from "./populations.ts";
import { atMost, type Result } from "./result.ts";
import { interleaved, percentile, ratioOf } from "./statistics.ts";
import { startTable, type Taken } from "./table.ts";

const sizes = [100, 10_000, 100_000] as const;
const [smallest, , largest] = sizes;

type Request = {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly call: (population: Population, round: number) => Call;
};

const page = (query: (population: Population) => string): Pick<Request, "endpoint" | "call"> => ({
  endpoint: list,
  call: (population) => ({ params: { community_id: population.communityId }, query: query(population) }),
});

/** Picks members a prime number apart, so that consecutive rounds read distant members. */
const memberOfRound = ({ communityId, size }: Population, round: number) => ({
  community_id: communityId,
  id: memberId((round * 7919) % size),
});

const requests: readonly Request[] = [
  { name: "list", ...page(() => "") },
  { name: "list, status=active", ...page(() => "status=active") },
  { name: "list, status=past_due (30 of all)", ...page(() => "status=past_due") },
  { name: "list, tier_id (a third of all)", ...page(({ tierId }) => `tier_id=${tierId}`) },
  { name: "list, is_blocked=true (1 of all)", ...page(() => "is_blocked=true") },
  { name: "list, is_blocked=false", ...page(() => "is_blocked=false") },
  { name: "show", endpoint: show, call: (...at) => ({ params: memberOfRound(...at) }) },
  {
    name: "PATCH",
    endpoint: update,
    call: (population, round) => ({
      params: memberOfRound(population, round),
      body: { member: { metadata: { seat: `A${round}` } } },
    }),
  },
];

/** Measures whether requests cost the same for every number of members. */
export async function run(): Promise<Result> {
  const bench = await startTable();
  try {
    const populations = await populate(bench, sizes);
    const cases = requests.flatMap((request) => populations.map((population) => ({ request, population })));
    const taken = await interleaved(cases, { rounds: 300, warmUp: 20 }, ({ request, population }, round) =>
      bench.measure(request.endpoint, request.call(population, round)),
    );
    return report(
      requests.map(({ name }) => ({
        name,
        of: (size) =>
          taken.find(({ testCase }) => testCase.request.name === name && testCase.population.size === size)?.samples ??
          [],
      })),
    );
  } finally {
    await bench.stop();
  }
}

type Measured = { readonly name: string; readonly of: (size: number) => readonly Taken[] };

function report(measured: readonly Measured[]): Result {
  const compared = measured.map(({ name, of }) => ({
    name,
    ms: (size: number) => of(size).map(({ ms }) => ms),
    roundTrips: everySize(of, ({ roundTrips }) => roundTrips),
    units: everySize(of, ({ units }) => units),
  }));
  const growth = compared.map(({ ms }) => ratioOf(ms(largest), ms(smallest)));
  const constant = compared.filter(({ units }) => units.length === 1);
  const single = compared.filter(({ name }) => name === "list" || name === "show");

  return {
    method:
      `An admin's requests to communities of ${sizes.map(short).join(", ")} members in one table, in turn: wall time of the ` +
      "handler with the engine in memory. A page has 20 members. Units are the sum of read and write capacity.",
    rows: compared.map(({ name, ms, roundTrips, units }, n) => ({
      request: name,
      ...Object.fromEntries(sizes.map((size) => [`p50 ms, ${short(size)}`, percentile(ms(size), 0.5)])),
      ...Object.fromEntries(sizes.map((size) => [`p99 ms, ${short(size)}`, percentile(ms(size), 0.99)])),
      "round trips": cellOf(roundTrips),
      units: cellOf(units),
      [`p50, ${short(largest)} : ${short(smallest)}`]: growth[n],
    })),
    claims: [
      atMost(1.5, `The p50 of every request among ${short(largest)} members, relative to ${short(smallest)}`, growth),
      {
        claim: "Every request consumes the same capacity at every size",
        measured: `${constant.length} of ${compared.length} do`,
        holds: constant.length === compared.length,
      },
      {
        claim: "Showing a member and listing the first page each take one sequential round trip",
        measured: single.map(({ name, roundTrips }) => `${name} ${roundTrips.join(" / ")}`).join(", "),
        holds: single.every(({ roundTrips }) => roundTrips.join() === "1"),
      },
    ],
  };
}

/** A figure for each size, or a single one if it is the same everywhere. */
function everySize(of: Measured["of"], figure: (sample: Taken) => number): string[] {
  const figures = sizes.map((size) => [...new Set(of(size).map(figure))].toSorted((a, b) => a - b).join("–"));
  return new Set(figures).size === 1 ? figures.slice(0, 1) : figures;
}

const cellOf = ([first, ...others]: readonly string[]): string | number =>
  others.length > 0 ? [first, ...others].join(" / ") : Number(first);

const short = (size: number): string => (size < 1000 ? String(size) : `${size / 1000}k`);
