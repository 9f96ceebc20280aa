import { setTimeout } from "node:timers/promises";
import { command, run } from "../command.ts";
import { progressBar } from "./progress.ts";
import { ofRunningStack, type StackOptions, useRunningStack } from "./running-stack.ts";

const program = ofRunningStack(
  command(
    "npm run rebuild --",
    "Recomputes and corrects the figures and the directory row of every community while the stack is in use. Resumes after an interruption.",
  ),
)
  .option("--dry-run", "Only list the differences, and exit with 1 if there are any")
  .addHelpText("after", "\nWorks on the running local stack, unless --stage is set.")
  .action(async ({ dryRun: isDryRun = false, ...stack }: StackOptions & { readonly dryRun?: boolean }) => {
    await useRunningStack(stack);
    const { connect, documents } = await import("#lib/store/table.ts");
    const { rebuildAll } = await import("./rebuild-all.ts");

    const client = documents();
    const context = { table: connect(client)(), now: () => new Date(), pause: () => setTimeout(500), isDryRun };
    const bar = progressBar(process.stderr);
    const { communities, before, wrong, failed } = await rebuildAll(context, {
      onProgress: (done, total, wrongSoFar) => bar.show(done, total, `communities, ${wrongSoFar} wrong`),
      onWrong(line) {
        bar.clear();
        console.log(line);
      },
    });
    bar.clear();
    const outcome = wrong === 0 ? "nothing wrong" : `${wrong} wrong${isDryRun ? "" : ", corrected"}`;
    console.log(`${communities} communities: ${outcome}${failed > 0 ? `, ${failed} could not be rebuilt` : ""}`);
    if (before > 0)
      console.log(
        `The run that was interrupted has rebuilt ${before} others. Run the command again to rebuild these, too`,
      );
    client.destroy();
    if (failed > 0 || (isDryRun && wrong > 0)) process.exitCode = 1;
  });

await run(program);
