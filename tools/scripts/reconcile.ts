import { command, run } from "../command.ts";
import { progressBar } from "./progress.ts";
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
    const { reconcile, workToDo } = await import("#lib/billing/reconcile.ts");
    const { billing } = await import("#lib/billing/stripe.ts");
    const { readStripeSecret } = await import("#lib/secrets.ts");
    const { connect } = await import("#lib/store/table.ts");

    const world = { table: connect()(), billing: billing(() => 60_000), now: new Date() };
    const { secret_key } = await readStripeSecret();
    const work = await workToDo(world, secret_key.includes("_live_"));
    const bar = progressBar(process.stderr);
    const failed: string[] = [];
    let done = 0;
    for await (const step of reconcile(work)) {
      if (step.failed) failed.push(`${step.kind} ${step.id}`);
      bar.show(++done, work.length, `reconciled, ${failed.length} failed`);
    }
    bar.clear();
    console.log(`${work.length - failed.length} done, ${failed.length} failed`);
    for (const what of failed) console.log(`  failed: ${what}`);
    if (failed.length > 0) process.exitCode = 1;
  });

await run(program);
