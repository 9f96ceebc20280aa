import { command, run } from "../command.ts";
import { progressLine } from "./progress.ts";
import { useRunningStack } from "./running-stack.ts";

const program = command(
  "npm run migrate --",
  "Updates data stored by earlier versions, while the stack is in use: removes addresses, notes and metadata from activity, records who owns which community, adds members to the lists by access and address, and fills in the past of members from paid invoices. Idempotent.",
)
  .option("--dry-run", "Only count the items that would change")
  .option("--folder <folder>", "Folder of the running stack's data", ".odis")
  .addHelpText(
    "after",
    "\nReads the whole table. Works on the running local stack, or on a deployed one if TABLE_NAME and AWS credentials are in the environment.",
  )
  .action(async ({ dryRun: isDryRun = false, folder }: { readonly dryRun?: boolean; readonly folder: string }) => {
    await useRunningStack(folder);
    const { connect } = await import("#lib/store/table.ts");
    const { migrate } = await import("./migrations.ts");
    const counter = progressLine(process.stderr);
    const { read, changed } = await migrate(connect()(), {
      isDryRun,
      onProgress: (items) => counter.show(`${items} items`),
    });
    counter.clear();
    for (const [name, count] of Object.entries(changed))
      console.log(`${count} ${isDryRun ? "to change" : "changed"}: ${name}`);
    console.log(`${read} items read`);
  });

await run(program);
