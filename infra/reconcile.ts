import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { reconcile, workToDo } from "#lib/billing/reconcile.ts";
import { billing } from "#lib/billing/stripe.ts";
import { readStripeSecret } from "#lib/secrets.ts";
import { connect } from "#lib/store/table.ts";
import { progress } from "./progress.ts";

/**
 * `npm run reconcile`: finishes at once what the schedule would, for the running local stack, or for a deployed one with
 * `TABLE_NAME`, `STRIPE_SECRET_ARN` and AWS credentials in the environment.
 */
const { values: options } = parseArgs({ options: { folder: { type: "string", default: ".odis" } } });

if (!process.env.TABLE_NAME) {
  const local = await readFile(`${options.folder}/local.json`, "utf8").catch(() => {
    console.error("No stack is running here, and TABLE_NAME is not set. Start one first: npm start");
    process.exit(1);
  });
  Object.assign(process.env, (JSON.parse(local) as { environment: Record<string, string> }).environment);
}

const world = { table: connect()(), billing: billing(() => 60_000), now: new Date() };
const { secret_key } = await readStripeSecret();
const work = await workToDo(world, secret_key.includes("_live_"));
const bar = progress("Reconciling", work.length);
const failed: string[] = [];
for await (const step of reconcile(work)) {
  bar.step();
  if (step.failed) failed.push(`${step.kind} ${step.id}`);
}
bar.end();
console.log(`${work.length - failed.length} done, ${failed.length} failed`);
for (const what of failed) console.log(`  failed: ${what}`);
process.exitCode = failed.length > 0 ? 1 : 0;
