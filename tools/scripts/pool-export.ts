import { command, run, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import { progressLine } from "./progress.ts";
import { valueOr } from "./stack-outputs.ts";

type ExportOptions = { readonly stage?: string; readonly pool?: string; readonly out?: string };

const program = command(
  "npm run pool:export --",
  "Writes the accounts of the user pool to a file or to the stage's bucket: email addresses, names and groups. Cognito does not export passwords or second factors.",
)
  .option("--stage <name>", "Stage whose pool is exported")
  .option("--pool <id>", "Id of another pool than that of the stage. Requires --out")
  .option("--out <file>", "File to write, with one account per line. Default: the stage's bucket, as the schedule does")
  .addHelpText(
    "after",
    `
Requires AWS credentials. The file contains personal data. Only its owner can read it. An export to the bucket resumes
after an interruption.`,
  )
  .action(async ({ stage, pool: named, out }: ExportOptions) => {
    if (named !== undefined && out === undefined) throw new UsageError("--pool requires --out");
    const poolId = await valueOr(named, stage, "UserPoolId");
    await useProfile();
    const { cognitoClient, s3Client } = await import("#lib/aws.ts");
    const { machine } = await import("#lib/runtime.ts");
    const cognito = cognitoClient({ retryMode: "adaptive", maxAttempts: 10 });
    const source = { cognito, poolId, runtime: machine };
    const counter = progressLine(process.stderr);
    const onProgress = (accounts: number) => counter.show(`${accounts} accounts`);
    const exported = async () => {
      if (out !== undefined) return (await import("./pool-accounts.ts")).writeAccounts(source, out, onProgress);
      const bucket = await valueOr(undefined, stage, "AccountsBucketName");
      const { exportAccounts } = await import("#lib/accounts/export.ts");
      const left = () => Number.POSITIVE_INFINITY;
      const outcome = await exportAccounts({ ...source, s3: s3Client(), bucket }, { left, isForced: true, onProgress });
      if (outcome.status !== "finished") throw new Error("The export did not finish");
      return outcome;
    };
    const { accounts, left_out } = await exported();
    cognito.destroy();
    counter.clear();
    console.log(`${accounts} accounts, ${left_out} left out (not confirmed, disabled, or without a verified address)`);
  });

await run(program);
