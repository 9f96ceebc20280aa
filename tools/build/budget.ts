import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Metafile } from "esbuild";
import { command, run } from "../command.ts";
import { build } from "./build.ts";

/** The most bytes of a bundle, minified and then gzipped: bytes are time at a cold start. */
type Budget = readonly [minified: number, gzipped: number];

/** A function that uses the table ships its client, the verification of tokens and valibot. */
const data: Budget = [282_000, 93_000];
/** One that asks Stripe ships Stripe's client and that of Secrets Manager too. */
const stripe: Budget = [440_000, 133_000];
/** One that reads snapshots ships the client of S3 too. */
const snapshots: Budget = [430_000, 138_000];
/** One that erases people writes to a bucket and deletes accounts of the user pool too. It is called so rarely that its cold start hardly counts. */
const erasing: Budget = [646_000, 189_000];

/** One that queues deliveries ships the client of SQS too. */
const queueing: Budget = [296_000, 98_000];
/** One that posts to event destinations signs what it sends, and checks where it goes. */
const delivering: Budget = [311_000, 103_000];

/** The consumer that copies profiles to Stripe, and sets aside in a bucket what it cannot read. */
const projecting: Budget = [535_000, 157_000];

const root = join(import.meta.dirname, "../..");

type Output = Metafile["outputs"][string];

/** How many bundles there are, and which of them are over their budget, with what they are made of. */
export function overBudget(): { readonly bundles: number; readonly over: readonly string[] } {
  const { outputs } = JSON.parse(readFileSync(join(root, "dist/meta.json"), "utf8")) as Metafile;
  const bundles = Object.entries(outputs).filter(([path]) => path.endsWith("/index.mjs"));
  const over = bundles.flatMap(([path, output]) => {
    const bytes = readFileSync(join(root, path));
    const found: Budget = [bytes.length, gzipSync(bytes, { level: 9 }).length];
    const budget = budgetOf(Object.keys(output.inputs));
    const isOver = found.some((size, n) => size > (budget[n] ?? 0));
    return isOver
      ? [`${path} has ${found.join(", gzipped ")} bytes of ${budget.join(", gzipped ")}\n${largest(output)}`]
      : [];
  });
  return { bundles: bundles.length, over };
}

function budgetOf(inputs: readonly string[]): Budget {
  if (inputs.some((input) => input.includes("/stripe/esm/"))) {
    if (inputs.includes("lib/person/outside.ts")) return erasing;
    return inputs.includes("lib/store/objects.ts") ? projecting : stripe;
  }
  if (inputs.includes("lib/store/objects.ts")) return snapshots;
  if (inputs.includes("lib/delivery/post.ts")) return delivering;
  return inputs.includes("lib/delivery/queue.ts") ? queueing : data;
}

const largest = ({ inputs }: Output): string =>
  Object.entries(inputs)
    .toSorted(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)
    .slice(0, 5)
    .map(([path, { bytesInOutput }]) => `  ${bytesInOutput} of ${path.replace(/^.*node_modules\//, "")}`)
    .join("\n");

if (import.meta.main) {
  const program = command(
    "npm run check:bundles",
    "Builds the functions, and fails if one exceeds its size budget. Lists the largest parts of such a bundle.",
  ).action(async () => {
    await build();
    const { bundles, over } = overBudget();
    if (over.length > 0) console.error(over.join("\n"));
    else console.log(`All ${bundles} bundles are within their budget.`);
    process.exitCode = over.length > 0 ? 1 : 0;
  });
  await run(program);
}
