import { command, run } from "../command.ts";
import { progressLine } from "./progress.ts";
import { ofRunningStack, type StackOptions, useRunningStack } from "./running-stack.ts";

type MigrateOptions = StackOptions & { readonly dryRun?: boolean; readonly continue?: boolean };

const program = ofRunningStack(
  command(
    "npm run migrate --",
    "Updates data stored by earlier versions, while the stack is in use: removes addresses, notes and metadata from activity, records who owns which community, adds members to the lists by access and address, adds full names to the search of members and removes final sigmas from it, and fills in the past of members from paid invoices. Idempotent.",
  ),
)
  .option("--dry-run", "Only count the items that would change")
  .option(
    "--continue",
    "Continue where the previous run was interrupted. Not after another version was deployed in between, whose items would be left out",
  )
  .addHelpText("after", "\nReads the whole table, which is that of the running local stack, unless --stage is set.")
  .action(async ({ dryRun: isDryRun = false, continue: continues, ...stack }: MigrateOptions) => {
    await useRunningStack(stack);
    const { connect } = await import("#lib/store/table.ts");
    const { migrate } = await import("./migrations.ts");
    const counter = progressLine(process.stderr);
    const { read, changed, leftOut } = await migrate(connect()(), {
      isDryRun,
      continues,
      onProgress: (items) => counter.show(`${items} items`),
    });
    counter.clear();
    for (const [name, count] of Object.entries(changed))
      console.log(`${count} ${isDryRun ? "to change" : "changed"}: ${name}`);
    console.log(`${read} items read`);
    for (const line of leftOut) console.log(`Left out: ${line}`);
    if (leftOut.length > 0) {
      console.log("Correct these items, and run the command again");
      process.exitCode = 1;
    }
  });

await run(program);
