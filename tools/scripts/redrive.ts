import { command, run, time, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import { progressLine } from "./progress.ts";
import { valueOr } from "./stack-outputs.ts";

type RedriveFlags = {
  readonly stage?: string;
  readonly bucket?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly dryRun?: boolean;
};

const program = command(
  "npm run redrive --",
  "Resends stream records that a consumer gave up on, oldest first, and deletes the records that were handled.",
)
  .option("--stage <name>", "Stage whose failed records are resent")
  .option("--bucket <name>", "Another bucket of failed records than that of the stage")
  .option(
    "--since <time>",
    "Only records that were set aside at or after this time, for example 2026-11-21T05:00:00Z",
    time,
  )
  .option("--until <time>", "Only records that were set aside before this time", time)
  .option("--dry-run", "Only list the records")
  .addHelpText(
    "after",
    `
Requires AWS credentials that may read and delete the objects in the bucket and call the consumers. Consumers ignore
records that they have already handled. Exits with 1 if any record failed again.`,
  )
  .action(async ({ stage, bucket: named, since, until, dryRun: isDryRun = false }: RedriveFlags) => {
    if (since && until && since >= until) throw new UsageError("--since must be before --until");
    const bucket = await valueOr(named, stage, "FailedRecordsBucketName");
    await useProfile();
    const { redrive } = await import("./redrive-all.ts");
    const counter = progressLine(process.stderr);
    const { sent, failed } = await redrive(bucket, {
      since,
      until,
      isDryRun,
      onProgress: (done) => counter.show(`${done} batches`),
      onLine(line) {
        counter.clear();
        console.log(line);
      },
    });
    counter.clear();
    console.log(isDryRun ? `${sent} batches` : `${sent} batches handled, ${failed} failed again`);
    if (failed > 0) process.exitCode = 1;
  });

await run(program);
