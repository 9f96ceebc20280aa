import { Session } from "node:inspector/promises";
import { parentPort, workerData } from "node:worker_threads";

/** Imports bundles as Lambda does, and returns the ranges of the functions that each has called by then. */
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: false, detailed: false });

const urls = workerData as readonly string[];
for (const url of urls) await import(url);

const { result } = await session.post("Profiler.takePreciseCoverage");
const calledOf = (url: string): Range[] =>
  (result.find((script) => script.url === url)?.functions ?? [])
    .flatMap(({ ranges: [range] }) => range ?? [])
    .filter(({ count }) => count > 0)
    .map(({ startOffset, endOffset }) => [startOffset, endOffset]);
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(urls.map(calledOf));

/** Where a function starts and ends in its bundle. */
export type Range = readonly [start: number, end: number];
