import { command, run, time, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";

type RestoreOptions = { readonly from?: string; readonly to?: string; readonly time?: Date; readonly backup?: string };

const program = command(
  "npm run restore --",
  "Restores a table into a new one, and sets what a restore does not include: stream, TTL, point-in-time recovery and deletion protection.",
)
  .option("--from <table>", "Table to restore (output TableName)")
  .option("--to <table>", "Name of the new table")
  .option("--time <time>", "Point in time within the last 35 days, for example 2026-11-21T05:00:00Z", time)
  .option("--backup <arn>", "Backup to restore instead of a point in time")
  .addHelpText(
    "after",
    "\nRequires AWS credentials. Waits until the new table can be used, then prints the setting to deploy it with.",
  )
  .action(async ({ from, to, time: point, backup }: RestoreOptions) => {
    const at = point ?? backup;
    if (from === undefined || to === undefined || at === undefined || (point && backup))
      throw new UsageError("Set --from and --to, and either --time or --backup");
    await useProfile();
    const { restoreTable } = await import("./restore-table.ts");
    const streamArn = await restoreTable({ from, to, at });
    console.log(
      `Restored. Raise epoch in stages/<stage>.json, and set "table": {"name": "${to}", "streamArn": "${streamArn}"}`,
    );
  });

await run(program);
