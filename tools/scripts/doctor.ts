import { command, lineOf, run, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import { runningStack } from "./running-stack.ts";

type DoctorOptions = {
  readonly stage?: string;
  readonly local?: true;
  readonly folder: string;
  readonly apiUrl?: string;
  readonly json?: true;
};

const program = command(
  "npm run doctor --",
  "Checks a stage, and prints one line for each fault: what it means, and the command that mends it. Changes nothing.",
)
  .option("--stage <name>", "Stage of a deployed stack")
  .option("--local", "Check the running local stack")
  .option("--folder <folder>", "Folder of the running local stack's data", ".odis")
  .option("--api-url <url>", "With --stage: URL of the API, instead of the output ApiUrl")
  .option("--json", "Print all checks as one JSON object. For programs, use npm run -s doctor")
  .addHelpText(
    "after",
    `
Requires AWS credentials that may describe the stack and its resources and read its secrets. Exits with 1 if something is
wrong, and with 2 if nothing is wrong but a check was not possible. If STRIPE_SECRET_KEY=sk_… is set, Stripe's settings
are read with it, because a restricted key may not read them.`,
  )
  .action(async ({ stage, local: isLocal, folder, apiUrl, json: isJson }: DoctorOptions) => {
    if ((stage === undefined) === (isLocal === undefined)) throw new UsageError("Set either --stage or --local");
    const { examine, exitCodeOf, linesOf } = await import("./doctor/check.ts");
    const { checks } = await import("./doctor/checks.ts");
    const stack = await (stage === undefined ? localStack(folder) : deployedStack(stage, apiUrl)).catch(
      (error: unknown) => {
        throw new UsageError(`Nothing could be checked: ${lineOf(error)}`);
      },
    );
    const outcomes = await examine(
      checks.filter((check) => stage !== undefined || check.isLocal),
      stack,
    );
    if (isJson) console.log(JSON.stringify({ stage: stack.stage, checks: outcomes }));
    else for (const line of linesOf(outcomes)) console.log(line);
    process.exitCode = exitCodeOf(outcomes);
  });

async function deployedStack(stage: string, ApiUrl: string | undefined) {
  await useProfile();
  const { readStack } = await import("./doctor/stack.ts");
  const stack = await readStack(stage, new Date());
  return { ...stack, outputs: { ...stack.outputs, ...(ApiUrl && { ApiUrl }) } };
}

async function localStack(folder: string) {
  const { api_url: ApiUrl, environment } = await runningStack(folder);
  Object.assign(process.env, environment);
  const { settingsFor } = await import("../../infra/settings.ts");
  const { TABLE_NAME: TableName = "", FAILED_RECORDS_BUCKET: FailedRecordsBucketName = "" } = environment;
  return {
    stage: "local",
    region: environment.AWS_REGION ?? "",
    status: "",
    hasTerminationProtection: false,
    outputs: { ApiUrl, TableName, FailedRecordsBucketName },
    resources: [],
    isInMaintenance: false,
    settings: () => settingsFor("sandbox"),
    now: new Date(),
  };
}

await run(program);
