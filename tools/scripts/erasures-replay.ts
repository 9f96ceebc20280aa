import { command, run } from "../command.ts";
import { progressLine } from "./progress.ts";
import { ofRunningStack, type StackOptions, useRunningStack } from "./running-stack.ts";

const program = ofRunningStack(
  command(
    "npm run erasures:replay --",
    "Repeats all erasures in a table that was restored from a backup. Idempotent: people who are already erased are not changed.",
  ),
)
  .addHelpText(
    "after",
    `
Works on the running local stack, unless --stage is set. Exits with 1 if an erasure could not be repeated.`,
  )
  .action(async (stack: StackOptions) => {
    await useRunningStack(stack);
    const { billing } = await import("#lib/billing/stripe.ts");
    const { connect } = await import("#lib/store/table.ts");
    const { connectOutside } = await import("#lib/person/outside.ts");
    const { erasedUsers } = await import("./erased-users.ts");
    const { replayAll } = await import("./replay-all.ts");

    const counter = progressLine(process.stderr);
    const context = { table: connect()(), billing: billing(() => 60_000), now: new Date(), outside: connectOutside() };
    const { erased, already_erased, unknown, failed } = await replayAll(context, erasedUsers(), {
      onProgress: (done) => counter.show(`${done} erasures`),
      onFailed(line) {
        counter.clear();
        console.log(line);
      },
    });
    counter.clear();
    console.log(`${erased} erased again, ${already_erased} erased already, ${unknown} unknown, ${failed} failed`);
    if (failed > 0) process.exitCode = 1;
  });

await run(program);
