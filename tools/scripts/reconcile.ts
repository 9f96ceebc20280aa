import { command, run } from "../command.ts";
import { progressLine } from "./progress.ts";
import { useRunningStack } from "./running-stack.ts";

const program = command(
  "npm run reconcile --",
  "Finishes now what the schedule would finish: interrupted operations, undelivered Stripe events, members to be synchronized.",
)
  .option("--folder <folder>", "Folder of the running stack's data", ".odis")
  .addHelpText(
    "after",
    `
Works on the running local stack, or on a deployed one if TABLE_NAME, STRIPE_SECRET_ARN and AWS credentials are in the
environment. Exits with 1 if anything failed.`,
  )
  .action(async ({ folder }: { readonly folder: string }) => {
    await useRunningStack(folder);
    const { reconcile } = await import("#lib/billing/reconcile.ts");
    const { billing } = await import("#lib/billing/stripe.ts");
    const { readStripeSecret } = await import("#lib/secrets.ts");
    const { connect } = await import("#lib/store/table.ts");

    const context = { table: connect()(), billing: billing(() => 60_000), now: new Date() };
    const { secret_key } = await readStripeSecret();
    const counter = progressLine(process.stderr);
    const failed: string[] = [];
    let looked = 0;
    const { done, unfinished } = await reconcile(context, {
      livemode: secret_key.includes("_live_"),
      left: () => Number.POSITIVE_INFINITY,
      retriesAll: true,
      onStep(step) {
        if (step.failed) failed.push(`${step.source} ${step.name}`);
        counter.show(`${++looked} reconciled (${step.source}), ${failed.length} failed`);
      },
    });
    counter.clear();
    console.log(`${done} done, ${unfinished} failed`);
    for (const what of failed) console.log(`  failed: ${what}`);
    if (unfinished > 0) process.exitCode = 1;
  });

await run(program);
