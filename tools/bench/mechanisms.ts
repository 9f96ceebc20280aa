import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { allocateColumns, columnsOf, type Entry, searchable } from "#lib/discovery/columns.ts";
import { directoryCache } from "#lib/discovery/directory.ts";
import { createIndex } from "#lib/discovery/directory-index.ts";
import { emptySet, subtract } from "#lib/discovery/row-set.ts";
import { keyAt, rowReader, tailQuery } from "#lib/discovery/rows.ts";
import * as snapshot from "#lib/discovery/snapshot.ts";
import { connectBucket } from "#lib/store/objects.ts";
import { namesOf } from "../../test/support/listing.ts";
import { communitiesOf, searches, writeRows } from "./directories.ts";
import { heldMb } from "./memory.ts";
import type { Claim, Result } from "./result.ts";
import { median } from "./statistics.ts";
import { startTable } from "./table.ts";

/** The cost of a mechanism and of its simpler form for a number of communities. */
type Cost = { readonly size: number; readonly cost: number; readonly simpler: number };

type Mechanism = {
  readonly name: string;
  readonly simpler: string;
  readonly unit: string;
  readonly sizes: readonly number[];
  /** The number of communities from which the mechanism takes at most half of what the simpler form takes. */
  readonly paysFrom: number;
  readonly measure: (entries: readonly Entry[]) => Promise<readonly [cost: number, simpler: number]>;
};

const mechanisms: readonly Mechanism[] = [
  {
    name: "rows kept in memory, only changed rows read",
    simpler: "a Query for all rows",
    unit: "read units of a request",
    sizes: [10, 30, 100, 1000],
    paysFrom: 30,
    measure: readUnits,
  },
  {
    name: "snapshot",
    simpler: "all rows",
    unit: "CPU ms of a load",
    sizes: [100, 1000, 3000, 10_000],
    paysFrom: 1000,
    measure: loading,
  },
  {
    name: "typed columns",
    simpler: "an object for each community",
    unit: "CPU ms of a load from a snapshot",
    sizes: [1000, 10_000, 100_000],
    paysFrom: 10_000,
    measure: async (entries) => [(await columnsFrom(entries)).ms, (await objectsFrom(entries)).ms],
  },
  {
    name: "typed columns",
    simpler: "an object for each community",
    unit: "MB",
    sizes: [1000, 10_000, 100_000],
    paysFrom: 100_000,
    measure: async (entries) => [(await columnsFrom(entries)).mb, (await objectsFrom(entries)).mb],
  },
  {
    name: "WebAssembly scan",
    simpler: "includes on each name",
    unit: "CPU ms of the most expensive search",
    sizes: [1000, 10_000, 30_000, 100_000],
    paysFrom: 30_000,
    measure: searching,
  },
];

/** Measures from which number of communities each mechanism of `lib/discovery` pays off. */
export async function run(): Promise<Result> {
  const measured: (Mechanism & { readonly costs: readonly Cost[] })[] = [];
  for (const mechanism of mechanisms) {
    const costs: Cost[] = [];
    for (const size of mechanism.sizes) {
      const [cost, simpler] = await mechanism.measure(communitiesOf(size));
      costs.push({ size, cost, simpler });
    }
    measured.push({ ...mechanism, costs });
  }
  return {
    method:
      "The cost of each mechanism in lib/discovery by number of communities, compared with the simpler form that it replaces: " +
      "medians of 5 in this process, with the engine in memory. Objects are loaded from compressed JSON and indexed by id.",
    rows: measured.flatMap(({ name, simpler, unit, costs }) =>
      costs.map((measurement) => ({
        mechanism: name,
        "simpler form": simpler,
        measured: unit,
        communities: measurement.size,
        "its cost": measurement.cost,
        "simpler form's cost": measurement.simpler,
      })),
    ),
    claims: measured.map(({ name, simpler, unit, paysFrom, costs }): Claim => {
      const those = costs.filter(({ size }) => size >= paysFrom);
      const most = Math.max(...those.map((one) => one.cost / one.simpler));
      const claim = `${name}: ${unit} with ${paysFrom} communities or more, relative to ${simpler} ≤ 0.5`;
      return { claim, measured: most.toFixed(2), holds: most > 0 && most <= 0.5 };
    }),
  };
}

async function readUnits(entries: readonly Entry[]): Promise<[number, number]> {
  const bench = await startTable();
  try {
    await writeRows(bench, entries);
    bench.count.take();
    const { pk, ...tail } = tailQuery(keyAt(Math.max(...entries.map(({ changed }) => changed))));
    await bench.table.query({ pk, ...tail });
    const { units } = bench.count.take();
    await bench.table.query({ pk, eventually: true });
    return [units, bench.count.take().units];
  } finally {
    await bench.stop();
  }
}

async function loading(entries: readonly Entry[]): Promise<[number, number]> {
  const bench = await startTable();
  try {
    await writeRows(bench, entries);
    const fromRows = await medianCpuMs(async () => createIndex((await rowReader().read(bench.table)).columns));
    const now = new Date();
    const bucket = connectBucket("SNAPSHOTS_BUCKET");
    await snapshot.add({ table: bench.table, objects: bucket }, columnsOf(entries), [], now.getTime());
    return [await medianCpuMs(() => directoryCache(bucket).refresh(bench.table, now)), fromRows];
  } finally {
    await bench.stop();
  }
}

function columnsFrom(entries: readonly Entry[]) {
  const { size, names, records } = columnsOf(entries);
  const sizes = { rows: size, name_bytes: names.bytes.length, record_bytes: records.length };
  const stored = zstdCompressSync(names.image);
  return cpuAndMemory(() => {
    const columns = allocateColumns(sizes);
    columns.names.image.set(zstdDecompressSync(stored));
    return createIndex(columns);
  });
}

function objectsFrom(entries: readonly Entry[]) {
  const stored = zstdCompressSync(Buffer.from(JSON.stringify(entries)));
  return cpuAndMemory(() => {
    const read = JSON.parse(zstdDecompressSync(stored).toString()) as Entry[];
    const listed = read.map((entry) => ({ ...entry, folded: searchable(entry.name) }));
    return { listed, byId: new Map(listed.map((entry) => [entry.id, entry])) };
  });
}

async function searching(entries: readonly Entry[]): Promise<[number, number]> {
  const texts = entries.map(({ name }) => searchable(name));
  const names = namesOf(texts);
  const none = emptySet(texts.length);
  const slowest = async (search: (text: string) => unknown) => {
    const each: number[] = [];
    for (const query of searches.map(searchable).filter((text) => text !== ""))
      each.push(await medianCpuMs(() => search(query)));
    return Math.max(...each);
  };
  return [
    await slowest((text) => subtract(names.search(text), none)),
    await slowest((text) => texts.filter((name) => name.includes(text)).length),
  ];
}

async function cpuMs(task: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function medianCpuMs(task: () => unknown): Promise<number> {
  const samples: number[] = [];
  for (let round = -1; round < 5; round++) {
    const ms = await cpuMs(task);
    if (round >= 0) samples.push(ms);
  }
  return median(samples);
}

/** Measures the CPU time of creating a value and the memory that it holds. */
async function cpuAndMemory(make: () => unknown): Promise<{ readonly ms: number; readonly mb: number }> {
  const ms = await medianCpuMs(make);
  const before = heldMb();
  const made = make();
  const mb = heldMb() - before;
  return { ms, mb: made === undefined ? 0 : mb };
}
