import { writeFile } from "node:fs/promises";
import { command, run, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import { valueOr } from "./stack-outputs.ts";

type ExportOptions = { readonly stage?: string; readonly pool?: string; readonly out?: string };

const program = command(
  "npm run pool:export --",
  "Writes the accounts of the user pool to a file: email addresses, names and groups. Cognito does not export passwords or second factors.",
)
  .option("--stage <name>", "Stage whose pool is exported")
  .option("--pool <id>", "Id of another pool than that of the stage")
  .option("--out <file>", "File to write, with one account per line")
  .addHelpText("after", "\nRequires AWS credentials. The file contains personal data. Only its owner can read it.")
  .action(async ({ stage, pool: named, out }: ExportOptions) => {
    if (out === undefined) throw new UsageError("Set --out");
    await useProfile();
    const pool = await valueOr(named, stage, "UserPoolId");
    const { exportAccounts } = await import("./pool-accounts.ts");
    const { accounts, leftOut } = await exportAccounts(pool);
    await writeFile(out, accounts.map((account) => `${JSON.stringify(account)}\n`).join(""), { mode: 0o600 });
    console.log(
      `${accounts.length} accounts, ${leftOut} left out (not confirmed, disabled, or without a verified address)`,
    );
  });

await run(program);
