import { join } from "node:path";
import { build } from "../build/build.ts";
import { coldStart, type Sample } from "./cold-start.ts";
import { openQuota } from "./cpu-quota.ts";
import { scenarioRequests } from "./peers/scenario.ts";
import { atMost, type Result } from "./result.ts";
import { interleaved, median, ratioOf } from "./statistics.ts";

const bundle = join(import.meta.dirname, "../../dist/members/show/index.mjs");
const memories = [128, 256, 512, 1024, 1769] as const;
/** Memory in MB that comes with one CPU. */
const wholeCpu = 1769;

const method =
  "GET of a member by the built function, in a fresh process for each of 15 samples: wall time of importing it with a whole " +
  "CPU, and of its first request with the share of one CPU that Lambda gives to the memory size (MB / 1769, a CPU quota in " +
  "periods of 20 ms). Primed (as deployed), it connects to the table during the import. Unprimed, it connects during the request. " +
  "Calls go to the engine over plain HTTP. DynamoDB's TLS would slow the unprimed request down further.";

/** Measures the wall time of a first request by memory of the function. */
export async function run(): Promise<Result> {
  const quota = openQuota();
  if (!quota) {
    console.warn("NOT MEASURED: a first request under a CPU quota, as no cgroup can be written (root on Linux can)");
    return { method: `Not measured: no cgroup can be written. ${method}`, rows: [], claims: [] };
  }
  await build();
  const { bench, events, env } = await scenarioRequests();
  try {
    const cases = memories.flatMap((memory) => [true, false].map((isPrimed) => ({ memory, isPrimed })));
    const taken = await interleaved(cases, { rounds: 15, warmUp: 1 }, ({ memory, isPrimed }) => {
      quota.set(memory / wholeCpu);
      const environment = { ...bench.env, ...env, ...(isPrimed && { AWS_LAMBDA_FUNCTION_NAME: "bench" }) };
      return coldStart({ bundle, event: events.show, group: quota.join }, environment);
    });
    return report(
      (memory, isPrimed) =>
        taken.find(({ testCase }) => testCase.memory === memory && testCase.isPrimed === isPrimed)?.samples ?? [],
    );
  } finally {
    await bench.stop();
    quota.remove();
  }
}

function report(of: (memory: number, isPrimed: boolean) => readonly Sample[]): Result {
  const calls = (memory: number, isPrimed: boolean) => of(memory, isPrimed).map(({ call }) => call);
  const inits = (isPrimed: boolean, memory: number) => median(of(memory, isPrimed).map(({ init }) => init));
  const ratio = (memory: number) => ratioOf(calls(memory, true), calls(memory, false));
  return {
    method,
    rows: memories.map((memory) => {
      const [primed, unprimed] = [median(calls(memory, true)), median(calls(memory, false))];
      return {
        MB: memory,
        "init ms, primed": inits(true, memory),
        "first request ms, primed": primed,
        "both ms, primed": inits(true, memory) + primed,
        "init ms, unprimed": inits(false, memory),
        "first request ms, unprimed": unprimed,
        "both ms, unprimed": inits(false, memory) + unprimed,
        "first request, primed relative to unprimed": ratio(memory),
      };
    }),
    claims: [atMost(0.35, "The first request at 256 MB, primed relative to unprimed", [ratio(256)])],
  };
}
