import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as v from "valibot";
import { scenarioRequests } from "./peers/scenario.ts";
import { sampled } from "./sampler.ts";
import { interleaved, median, type Ratio, ratioOf } from "./statistics.ts";

const Sample = v.object({ init: v.number(), call: v.number(), status: v.literal(200) });
/**
 * Times of the import of a bundle and of its first call, in milliseconds: wall time in a process `group`, otherwise CPU
 * time.
 */
export type Sample = v.InferOutput<typeof Sample>;

type ColdStartInput = { readonly bundle: string; readonly event: unknown; readonly group?: string };

/** Measures a cold start in its own process. */
export async function coldStart(input: ColdStartInput, env: Readonly<Record<string, string>>): Promise<Sample> {
  const lines = await sampled("cold-sample", input, { env });
  return v.parse(Sample, JSON.parse(lines.at(-1) ?? ""));
}

/** A bundle below `dist`. `stubbed` is the same program with a table in memory instead of DynamoDB. */
export type Bundle = { readonly name: string; readonly path: string; readonly stubbed?: string };

export const ours: Bundle = {
  name: "Odis, as deployed",
  path: "members/show/index.mjs",
  stubbed: "peers/stubbed/lean/odis.mjs",
};
export const stock: Bundle = {
  name: "Odis, esbuild's defaults",
  path: "stock/members/show/index.mjs",
  stubbed: "peers/stubbed/bundled/odis.mjs",
};

type Row = Readonly<Record<string, string | number | Ratio | undefined>>;
type Started = {
  readonly rows: readonly Row[];
  /** Returns the ratio of the sum of import and first call of Odis to another bundle's, with the engine. */
  readonly withEngine: (other: Bundle) => Ratio;
  readonly stubbed: (other: Bundle) => Ratio;
};

const dist = join(import.meta.dirname, "../../dist");

/** Measures cold starts of bundles in turn, with the GET request for a member. */
export async function startAll(bundles: readonly Bundle[], rounds: number): Promise<Started> {
  const { bench, events, env, app, answers } = await scenarioRequests();
  try {
    const { headers, pathParameters } = events.show;
    const params = pathParameters as Record<string, string>;
    // Records the responses of the stubbed table.
    await app.showMember({ authorization: headers.authorization, params, query: {} });
    // With this variable, the function connects to the table during the import, as on Lambda.
    const environment = {
      ...bench.env,
      ...env,
      AWS_LAMBDA_FUNCTION_NAME: "bench",
      NODE_ENV: "production",
      TABLE_ANSWERS: JSON.stringify([...answers]),
    };
    const paths = bundles.flatMap(({ path, stubbed }) => [path, stubbed ?? []].flat());
    const taken = await interleaved(paths, { rounds, warmUp: 1 }, (path) =>
      coldStart({ bundle: join(dist, path), event: events.show }, environment),
    );
    return await compare(bundles, (path) => taken.find(({ testCase }) => testCase === path)?.samples ?? []);
  } finally {
    await bench.stop();
  }
}

async function compare(
  bundles: readonly Bundle[],
  of: (path: string | undefined) => readonly Sample[],
): Promise<Started> {
  const both = (path: string | undefined) => of(path).map(({ init, call }) => init + call);
  const withEngine = (other: Bundle) => ratioOf(both(ours.path), both(other.path));
  const stubbed = (other: Bundle) => ratioOf(both(ours.stubbed), both(other.stubbed));
  const rows = bundles.map(async (bundle) => {
    const [bytes, samples] = [await readFile(join(dist, bundle.path)), of(bundle.path)];
    const isStubbed = bundle.stubbed !== undefined;
    return {
      bundle: bundle.name,
      kB: bytes.length / 1000,
      "kB gzipped": gzipSync(bytes, { level: 9 }).length / 1000,
      "init ms": median(samples.map(({ init }) => init)),
      "first call ms": median(samples.map(({ call }) => call)),
      "both ms": median(both(bundle.path)),
      "Odis : it": bundle === ours ? undefined : withEngine(bundle),
      "both ms, stubbed table": isStubbed ? median(both(bundle.stubbed)) : undefined,
      "Odis : it, stubbed table": bundle !== ours && isStubbed ? stubbed(bundle) : undefined,
    };
  });
  return { rows: await Promise.all(rows), withEngine, stubbed };
}
