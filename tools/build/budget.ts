import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Metafile } from "esbuild";
import { command, run } from "../command.ts";
import { build } from "./build.ts";

/** Maximum size of a bundle in bytes, minified and gzipped. The size determines the duration of a cold start. */
type Budget = readonly [minified: number, gzipped: number];

/** Functions that use the table: its client, token verification and valibot. */
const data: Budget = [291_000, 95_000];
/** Functions that read the address of the caller: also the client of the user pool. */
const addressing: Budget = [317_000, 99_000];
/** Functions that call Stripe: also the clients of Stripe and Secrets Manager. */
const stripe: Budget = [480_000, 144_500];
/** Functions that read snapshots: also the client of S3. */
const snapshots: Budget = [442_000, 140_000];
/**
 * Functions that erase people: also the clients of S3 and the user pool. They run so rarely that cold starts hardly
 * matter.
 */
const erasing: Budget = [675_000, 195_500];

/** Functions that queue deliveries: also the client of SQS. */
const queueing: Budget = [306_000, 99_500];
/** Functions that deliver events: also signatures and the checks of addresses. */
const delivering: Budget = [319_000, 104_000];

/** The stream consumer that copies profiles to Stripe and stores unreadable records in a bucket. */
const projecting: Budget = [535_000, 157_000];

/** The schedule that exports accounts: the clients of S3 and the user pool, and no table. */
const exporting: Budget = [350_000, 105_000];

const root = join(import.meta.dirname, "../..");

type Output = Metafile["outputs"][string];

/** Returns the number of bundles, and those over their budget with their largest parts. */
export function overBudget(): { readonly bundles: number; readonly over: readonly string[] } {
  const { outputs } = JSON.parse(readFileSync(join(root, "dist/meta.json"), "utf8")) as Metafile;
  const bundles = Object.entries(outputs).filter(([path]) => path.endsWith("/index.mjs"));
  const over = bundles.flatMap(([path, output]) => {
    const bytes = readFileSync(join(root, path));
    const sizes: Budget = [bytes.length, gzipSync(bytes, { level: 9 }).length];
    const budget = budgetOf(Object.keys(output.inputs));
    const isOver = sizes.some((size, n) => size > (budget[n] ?? 0));
    return isOver
      ? [`${path} has ${sizes.join(", gzipped ")} bytes of ${budget.join(", gzipped ")}\n${largest(output)}`]
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
  if (inputs.includes("lib/accounts/export.ts")) return exporting;
  if (inputs.includes("lib/delivery/post.ts")) return delivering;
  if (inputs.includes("lib/verified-address.ts")) return addressing;
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
