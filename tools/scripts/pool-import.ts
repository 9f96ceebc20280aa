import { readFile } from "node:fs/promises";
import { command, run, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import { inParallel } from "./in-parallel.ts";
import { progressLine } from "./progress.ts";
import { valueOr } from "./stack-outputs.ts";

type ImportOptions = { readonly stage?: string; readonly pool?: string; readonly from?: string };

/** Number of accounts that are created at once. */
const concurrency = 10;

const program = command(
  "npm run pool:import --",
  "Creates accounts from a file in a user pool. People set a new password by email before they sign in. Idempotent: accounts that already exist are not changed.",
)
  .option("--stage <name>", "Stage into whose pool the accounts are imported")
  .option("--pool <id>", "Id of another pool than that of the stage")
  .option("--from <file>", "File that npm run pool:export wrote")
  .addHelpText("after", "\nRequires AWS credentials. Sends no email. Exits with 1 if an account could not be created.")
  .action(async ({ stage, pool: named, from }: ImportOptions) => {
    if (from === undefined) throw new UsageError("Set --from");
    const lines = (await readFile(from, "utf8")).split("\n").filter((line) => line !== "");
    await useProfile();
    const pool = await valueOr(named, stage, "UserPoolId");
    const { CognitoIdentityProviderClient } = await import("@aws-sdk/client-cognito-identity-provider");
    const { parse } = await import("valibot");
    const { Account, importAccount } = await import("./pool-accounts.ts");
    // The client slows down while Cognito throttles it.
    const client = new CognitoIdentityProviderClient({ retryMode: "adaptive", maxAttempts: 10 });
    const counter = progressLine(process.stderr);
    const counts = { made: 0, there: 0, failed: 0 };
    let done = 0;
    await inParallel(lines.entries(), concurrency, async ([n, line]) => {
      try {
        counts[(await importAccount(client, pool, parse(Account, JSON.parse(line)))) ? "made" : "there"]++;
      } catch (error) {
        counts.failed++;
        counter.clear();
        console.log(`line ${n + 1}: ${(error as Error).message}`);
      }
      counter.show(`${++done}/${lines.length} accounts`);
    });
    client.destroy();
    counter.clear();
    console.log(`${counts.made} created, ${counts.there} already existed, ${counts.failed} failed`);
    if (counts.failed > 0) process.exitCode = 1;
  });

await run(program);
