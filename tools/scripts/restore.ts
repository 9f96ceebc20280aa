import { command, run, time, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import { valueOr } from "./stack-outputs.ts";

type RestoreOptions = {
  readonly stage?: string;
  readonly from?: string;
  readonly to?: string;
  readonly time?: Date;
  readonly backup?: string;
  readonly resume?: boolean;
};

const program = command(
  "npm run restore --",
  "Restores a table into a new one, and sets what a restore does not include: stream, TTL, point-in-time recovery and deletion protection. Resumes after an interruption.",
)
  .option("--stage <name>", "Stage whose table is restored")
  .option("--from <table>", "Another table to restore than that of the stage")
  .option("--to <table>", "Name of the new table")
  .option("--time <time>", "Point in time within the last 35 days, for example 2026-11-21T05:00:00Z", time)
  .option(
    "--backup <arn>",
    "Backup to restore instead of a point in time. Its table, or the stage, may have been deleted",
  )
  .option("--resume", "Resume in the new table even if DynamoDB does not say what it was restored from")
  .addHelpText(
    "after",
    "\nRequires AWS credentials. Waits until the new table can be used, then prints the setting to deploy it with.",
  )
  .action(async ({ stage, from: named, to, time: point, backup, resume: resumes = false }: RestoreOptions) => {
    const at = point ?? backup;
    if (to === undefined || at === undefined || (point && backup))
      throw new UsageError("Set --to, and either --time or --backup");
    const isOfStage = named === undefined && (stage !== undefined || point !== undefined);
    const from = isOfStage ? await valueOr(named, stage, "TableName") : named;
    await useProfile();
    const { restoreTable } = await import("./restore-table.ts");
    const streamArn = await restoreTable({ from, to, at, resumes });
    console.log(
      `Restored. To use it as the stage's table: raise epoch in stages/${stage ?? "<stage>"}.json, and set "table": {"name": "${to}", "streamArn": "${streamArn}"}`,
    );
  });

await run(program);
