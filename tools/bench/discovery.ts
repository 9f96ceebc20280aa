import { join } from "node:path";
import * as v from "valibot";
import { columnsOf } from "#lib/discovery/columns.ts";
import { directoryCache } from "#lib/discovery/directory.ts";
import { createIndex } from "#lib/discovery/directory-index.ts";
import { changeFrom } from "#lib/discovery/rows.ts";
import { moveRow } from "#lib/store/directory-rows.ts";
import { connect } from "#lib/store/table.ts";
import { exploring } from "../../functions/discovery/explore.ts";
import { invoke } from "../../test/support/direct.ts";
import { mountOn } from "../../test/support/mount.ts";
import { build } from "../build/build.ts";
import { callerId, communitiesOf, fillDirectory, searches } from "./directories.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import type { Claim, Result } from "./result.ts";
import { sampled } from "./sampler.ts";
import { signedRequests } from "./signed-request.ts";
import { median, percentile, type Ratio, ratioOf } from "./statistics.ts";
import { type BenchTable, startTable } from "./table.ts";

const sizes = [1000, 10_000, 100_000, 1_000_000] as const;
/** Number of communities in the comparison with PostgreSQL. */
const compared = 100_000;
const rounds = 40;

const Sample = v.object({ ms: v.number(), cpu: v.number() });
const Environment = v.object({ cold: Sample, samples: v.array(v.array(Sample)), memoryMb: v.number() });
/** The log line of a request that has loaded the directory. */
const Loaded = v.object({ directory_load_cpu_ms: v.number() });

type Measured = Omit<v.InferOutput<typeof Environment>, "cold"> & {
  readonly size: number;
  /** CPU time of the first call in milliseconds. `load` is the part that loads the directory. */
  readonly cold: number;
  readonly load: number;
  readonly units: Units;
};

/** Read units of the first request, of one within the next second, and of one a second later. */
type Units = { readonly cold: number; readonly warm: number; readonly later: number };

/** Measures searches by number of communities, and compares them with PostgreSQL. */
export async function run(): Promise<Result> {
  await build();
  const measured: Measured[] = [];
  let beside: Beside | undefined;
  for (const size of sizes) {
    const bench = await startTable();
    try {
      await fillDirectory(bench, communitiesOf(size));
      const environment = await inItsOwnProcess(bench, rounds);
      const environments = [environment];
      for (let n = 0; n < 4; n++) environments.push(await inItsOwnProcess(bench, 0));
      measured.push({
        ...environment,
        size,
        cold: median(environments.map(({ cold }) => cold.cpu)),
        load: median(environments.map(({ load }) => load)),
        units: await unitsOf(bench),
      });
      if (size === compared)
        beside = await besidePostgres(await startPostgres(communitiesOf(size)), environment.samples.flat());
    } finally {
      await bench.stop();
    }
  }
  return report(measured, beside, burst());
}

type Burst = { readonly ms: number; readonly longestMs: number };

/**
 * Measures the CPU time of applying changes to an index of 100,000 communities, page by page: in total and of the
 * slowest page. Returns the fastest of three runs.
 */
function burst(): Burst {
  const pageSize = 500;
  const entries = communitiesOf(compared);
  const rows = entries.flatMap(({ changed, badges, ...row }) =>
    moveRow(
      undefined,
      { ...row, badges: { ...badges }, member_count: row.member_count + 1, is_listed: true },
      new Date(changed + 3_600_000),
    ).flatMap((write) => ("put" in write ? [write.put] : [])),
  );
  const tries = Array.from({ length: 3 }, (): Burst => {
    const index = createIndex(columnsOf(entries));
    const pages: number[] = [];
    for (let at = 0; at < rows.length; at += pageSize) {
      const before = process.cpuUsage();
      for (const row of rows.slice(at, at + pageSize)) index.apply(changeFrom(row));
      pages.push(process.cpuUsage(before).user / 1000);
    }
    if (index.changes !== compared) throw new Error(`${index.changes} changes were applied`);
    return { ms: pages.reduce((a, b) => a + b), longestMs: Math.max(...pages) };
  });
  return {
    ms: Math.min(...tries.map(({ ms }) => ms)),
    longestMs: Math.min(...tries.map(({ longestMs }) => longestMs)),
  };
}

const bundle = join(import.meta.dirname, "../../dist/discovery/explore/index.mjs");

async function inItsOwnProcess(bench: BenchTable, warmRounds: number) {
  const { events, env } = await signedRequests({ explore: "/api/v1/communities/explore" });
  const searchEvents = searches.map((query) => ({
    ...events.explore,
    rawQueryString: new URLSearchParams({ query }).toString(),
  }));
  const lines = await sampled(
    "discovery-sample",
    { bundle, events: searchEvents, rounds: warmRounds },
    // About the heap of the function on Lambda.
    { env: { ...bench.env, ...env, AWS_LAMBDA_FUNCTION_NAME: "bench" }, flags: ["--max-old-space-size=400"] },
  );
  const loaded = lines.find((line) => line.includes("directory_load_cpu_ms"));
  return {
    ...v.parse(Environment, JSON.parse(lines.at(-1) ?? "")),
    load: v.parse(Loaded, JSON.parse(loaded ?? "")).directory_load_cpu_ms,
  };
}

/** Measures read units of requests in one environment. The clock stands still between them. */
async function unitsOf({ client, name, count }: BenchTable): Promise<Units> {
  const caller = { id: callerId, sub: "", username: "caller", groups: [] };
  let clock = Date.now();
  const now = () => new Date(clock);
  const mount = mountOn({ now, table: connect(client, name), identify: async () => caller });
  const environment = exploring(directoryCache());
  const ask = async (): Promise<number> => {
    count.take();
    const { status } = await invoke(environment, mount, { query: "query=club", as: caller });
    if (status !== 200) throw new Error(`The listing answered ${status}`);
    return count.take().units;
  };
  const [cold, warm] = [await ask(), await ask()];
  clock += 1000;
  return { cold, warm, later: await ask() };
}

type Beside = { readonly ms: readonly number[]; readonly ratio: Ratio };

async function besidePostgres(postgres: Postgres | undefined, own: readonly { ms: number }[]) {
  if (!postgres) {
    console.warn("NOT MEASURED: PostgreSQL, as it is not installed (apt-get install postgresql)");
    return undefined;
  }
  const ms: number[] = [];
  try {
    for (const query of searches)
      for (let round = -10; round < rounds; round++) {
        const page = await postgres.ask(query);
        if (round >= 0) ms.push(page.ms);
      }
  } finally {
    await postgres.stop();
  }
  const ours = own.map((sample) => sample.ms);
  return { ms, ratio: ratioOf(ours, ms) };
}

function report(measured: readonly Measured[], beside: Beside | undefined, changed: Burst): Result {
  const bySize = measured.map(({ samples, ...figures }) => ({
    ...figures,
    ms: samples.flat().map(({ ms }) => ms),
    /** CPU time of the most expensive search, in milliseconds. */
    cpu: Math.max(...samples.map((of) => median(of.map(({ cpu }) => cpu)))),
  }));
  const at = (size: number) => bySize.find((figures) => figures.size === size);
  const limit = (claim: string, value: number | undefined, most: number): Claim => ({
    claim: `${claim} ≤ ${most}`,
    measured: value?.toFixed(1) ?? "nothing",
    holds: value !== undefined && value <= most,
  });
  return {
    method:
      `${searches.length} searches by a caller who is in ten communities, run in turn by the built function in its own process ` +
      "with the engine in memory: wall time of the handler, CPU time of the most expensive search (the median of its " +
      `${rounds} calls), CPU time of the first call, and the part of it that loads the directory, from requesting the snapshot to the updated ` +
      "index (medians of 5 processes). One of the read units is for the caller's memberships. The tail of the directory is " +
      `read once a second at most. PostgreSQL returns the same pages from ${compared} communities with a trigram index, an index in ` +
      "the order of the listing and a prepared statement: the time that psql waits on loopback, without a function.",
    rows: [
      ...bySize.map(({ size, ms, cpu, cold, load, memoryMb, units }) => ({
        communities: String(size),
        ...waitOf(ms),
        "most CPU ms": cpu,
        "load CPU ms": load,
        "first call CPU ms": cold,
        "memory MB": memoryMb,
        "read units, cold": units.cold,
        "read units, warm": units.warm,
        "read units, a second later": units.later,
        "p50 : PostgreSQL": size === compared ? beside?.ratio : undefined,
      })),
      ...(beside ? [{ communities: `${compared}, PostgreSQL`, ...waitOf(beside.ms) }] : []),
    ],
    claims: [
      limit("Read units of a warm request at every size", Math.max(...bySize.map(({ units }) => units.warm)), 1),
      limit(
        "Read units of a warm request a second later at every size",
        Math.max(...bySize.map(({ units }) => units.later)),
        1.5,
      ),
      limit("Read units of the first request with 100,000 communities", at(100_000)?.units.cold, 5),
      limit("CPU ms of the first request with a million communities", at(1_000_000)?.cold, 3000),
      limit("CPU ms of the most expensive search with a million communities", at(1_000_000)?.cpu, 15),
      limit("MB of memory of the whole function with a million communities", at(1_000_000)?.memoryMb, 512),
      limit("CPU ms to apply 100,000 changes", changed.ms, 2000),
      limit("CPU ms of the slowest page of these changes", changed.longestMs, 50),
      limit("CPU ms to load 100,000 communities", at(100_000)?.load, 150),
    ],
  };
}

const waitOf = (ms: readonly number[]) => ({ "p50 ms": median(ms), "p99 ms": percentile(ms, 0.99) });
