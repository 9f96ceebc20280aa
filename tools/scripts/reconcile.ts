import { command, run } from "../command.ts";
import { progressLine } from "./progress.ts";
import { ofRunningStack, type StackOptions, useRunningStack } from "./running-stack.ts";

const program = ofRunningStack(
  command(
    "npm run reconcile --",
    "Runs the schedule now: finishes interrupted operations and erasures, handles undelivered Stripe events, and synchronizes members.",
  ),
)
  .addHelpText(
    "after",
    `
Works on the running local stack, unless --stage is set. Exits with 1 if anything failed.`,
  )
  .action(async (stack: StackOptions) => {
    await useRunningStack(stack);
    const { billing } = await import("#lib/billing/stripe.ts");
    const { connectOutside } = await import("#lib/person/outside.ts");
    const { runSchedule } = await import("#lib/person/schedule.ts");
    const { readStripeSecret } = await import("#lib/secrets.ts");
    const { connect } = await import("#lib/store/table.ts");

    const context = { table: connect()(), billing: billing(() => 60_000), now: new Date() };
    const { secret_key } = await readStripeSecret();
    const counter = progressLine(process.stderr);
    const failed: string[] = [];
    let looked = 0;
    const report = await runSchedule(
      { ...context, outside: connectOutside() },
      {
        livemode: secret_key.includes("_live_"),
        left: () => Number.POSITIVE_INFINITY,
        retriesAll: true,
        onStep(step) {
          if (step.failed) failed.push(`${step.source} ${step.name}`);
          counter.show(`${++looked} reconciled (${step.source}), ${failed.length} failed`);
        },
      },
    );
    const { done, unfinished, failed_erasures } = report;
    if (failed_erasures > 0) failed.push(`${failed_erasures} erasures`);
    counter.clear();
    console.log(`${done} done, ${unfinished} failed`);
    for (const what of failed) console.log(`  failed: ${what}`);
    if (unfinished > 0) process.exitCode = 1;
  });

await run(program);
