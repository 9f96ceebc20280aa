import { command, run, time, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import { inParallel } from "./in-parallel.ts";
import { progressLine } from "./progress.ts";
import { valueOr } from "./stack-outputs.ts";

type ImportOptions = {
  readonly stage?: string;
  readonly pool?: string;
  readonly from?: string;
  readonly fromTable?: true;
  readonly since?: Date;
};

/** Number of accounts that are created at once. */
const concurrency = 10;

const program = command(
  "npm run pool:import --",
  "Creates accounts in a user pool, from a file or from the profiles in the table. People set a new password by email before they sign in. Idempotent: accounts that already exist are not changed, unconfirmed sign-ups are replaced, and an account whose creation was interrupted is completed.",
)
  .option("--stage <name>", "Stage into whose pool the accounts are imported, and whose table is read")
  .option("--pool <id>", "Id of another pool than that of the stage")
  .option("--from <file>", "File that npm run pool:export wrote, or an object of the stage's bucket")
  .option("--from-table", "Create the accounts of people with a profile in the table, without groups")
  .option("--since <time>", "With --from-table: only profiles that were created or changed after this time", time)
  .addHelpText("after", "\nRequires AWS credentials. Sends no email. Exits with 1 if an account could not be created.")
  .action(async ({ stage, pool: named, from, fromTable, since }: ImportOptions) => {
    if ((from === undefined) === (fromTable === undefined)) throw new UsageError("Set either --from or --from-table");
    if (since && !fromTable) throw new UsageError("--since requires --from-table");
    const pool = await valueOr(named, stage, "UserPoolId");
    const table = fromTable && (await valueOr(undefined, stage, "TableName"));
    await useProfile();
    const { cognitoClient } = await import("#lib/aws.ts");
    const { connect } = await import("#lib/store/table.ts");
    const { accountsInFile, accountsInTable, importAccount } = await import("./pool-accounts.ts");
    const accounts = from === undefined ? accountsInTable(connect(undefined, table)(), since) : accountsInFile(from);
    // The client slows down while Cognito throttles it.
    const client = cognitoClient({ retryMode: "adaptive", maxAttempts: 10 });
    const counter = progressLine(process.stderr);
    const counts = { made: 0, there: 0, failed: 0 };
    let done = 0;
    await inParallel(accounts, concurrency, async ({ place, account }) => {
      try {
        counts[(await importAccount(client, pool, account())) ? "made" : "there"]++;
      } catch (error) {
        counts.failed++;
        counter.clear();
        console.log(`${place}: ${(error as Error).message}`);
      }
      counter.show(`${++done} accounts`);
    });
    client.destroy();
    counter.clear();
    console.log(`${counts.made} created, ${counts.there} already existed, ${counts.failed} failed`);
    if (counts.failed > 0) process.exitCode = 1;
  });

await run(program);
