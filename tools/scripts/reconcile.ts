import { parseArgs } from "node:util";
import { reconcile, workToDo } from "#lib/billing/reconcile.ts";
import { billing } from "#lib/billing/stripe.ts";
import { readStripeSecret } from "#lib/secrets.ts";
import { connect } from "#lib/store/table.ts";
import { progressBar } from "./progress.ts";
import { useRunningStack } from "./running-stack.ts";

/**
 * `npm run reconcile`: finishes at once what the schedule would, for the running local stack, or for a deployed one with
 * `TABLE_NAME`, `STRIPE_SECRET_ARN` and AWS credentials in the environment.
 */
const { values: options } = parseArgs({ options: { folder: { type: "string", default: ".odis" } } });

await useRunningStack(options.folder);
const world = { table: connect()(), billing: billing(() => 60_000), now: new Date() };
const { secret_key } = await readStripeSecret();
const work = await workToDo(world, secret_key.includes("_live_"));
const bar = progressBar(process.stderr);
const failed: string[] = [];
let done = 0;
for await (const step of reconcile(work)) {
  if (step.failed) failed.push(`${step.kind} ${step.id}`);
  bar.show(++done, work.length, `looked at, ${failed.length} failed`);
}
bar.clear();
console.log(`${work.length - failed.length} done, ${failed.length} failed`);
for (const what of failed) console.log(`  failed: ${what}`);
process.exitCode = failed.length > 0 ? 1 : 0;
