import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { command, run, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import type { Step } from "./try-on-aws/steps.ts";

type TryOptions = { readonly yes?: true; readonly destroy?: true; readonly skip: readonly string[] };

const root = join(import.meta.dirname, "../..");
const progressFile = join(root, ".odis/try-on-aws.json");

const program = command(
  "npm run try:aws --",
  "Tries what has only run against stand-ins: deploys the stage sandbox-try to your AWS account, checks and tests it, restores its table, and destroys it. Resumes after an interruption or a failed step.",
)
  .option("-y, --yes", "Start without asking for confirmation")
  .option("--destroy", "Only destroy the stage and forget what was done")
  .option(
    "--skip <step>",
    "Leave out a step, such as doctor; may be repeated",
    (name, names: string[]) => [...names, name],
    [],
  )
  .addHelpText(
    "after",
    `
Requires AWS credentials, AWS CLI 2, and npx cdk bootstrap. Costs less than a dollar if it ends on the same day. If
STRIPE_SECRET_KEY=sk_test_… and STRIPE_READING_KEY=rk_test_… are set, Stripe is set up and the stand-in's contract is
tested too. Touches no other stage. Exits with 1 if a step failed.`,
  )
  .action(tryOnAws);

async function tryOnAws({ yes, destroy, skip }: TryOptions): Promise<void> {
  const { cleanUp, skippedOf, stage, stepsOf } = await import("./try-on-aws/steps.ts");
  const { readProgress, runSteps } = await import("./try-on-aws/run-steps.ts");
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_READING_KEY: readingKey } = process.env;
  if (secretKey?.includes("_live_") || readingKey?.includes("_live_"))
    throw new UsageError("The keys of Stripe must be of its test mode");
  await useProfile();
  const { cloudFormation } = await import("./deploy/cloudformation.ts");
  const earlier = await readProgress(progressFile);
  if (!earlier && (await cloudFormation().describe(`odis-${stage}`)))
    throw new UsageError(`There is a stack odis-${stage} that this command did not deploy here. Destroy it first`);

  const begun = earlier ?? { started_at: new Date().toISOString(), seconds: {} };
  const all = stepsOf({ secretKey, readingKey });
  const skipped = skippedOf(skip, { steps: all, done: begun.seconds });
  const hasRestoredTable = (await describeRestored()) !== undefined;
  const steps = destroy ? cleanUp(all, { done: begun.seconds, hasRestoredTable }) : all;
  console.log(
    `Stage ${stage}. Costs about 50 cents a day until it is destroyed, and cents for requests and a restore.\n`,
  );
  for (const { name, command: words } of steps)
    console.log(
      `${name in begun.seconds ? "  done  " : skipped.includes(name) ? "  skip  " : "        "}${name}: ${words.join(" ")}`,
    );
  if (!yes && !(await isConfirmed())) return;

  const settings_file = (await createSettings(stage)) ?? earlier?.settings_file;
  const progress = { ...begun, ...(settings_file !== undefined && { settings_file }) };
  const clock = () => performance.now();
  if (await runSteps(steps, { file: progressFile, progress, skipped, execute, clock, print: console.log })) return;
  console.log(
    "Run npm run try:aws again to resume with this step, or npm run try:aws -- --destroy, so that nothing costs money.",
  );
  process.exitCode = 1;
}

async function isConfirmed(): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question("\nStart? (y/n) ");
  prompt.close();
  return answer.trim().toLowerCase() === "y";
}

/** Creates the settings of the stage, unless there are some. @returns the file; undefined if it was not created */
async function createSettings(stage: string): Promise<string | undefined> {
  const file = join(root, `stages/${stage}.json`);
  if (existsSync(file)) return undefined;
  await mkdir(join(root, "stages"), { recursive: true });
  await writeFile(file, `${JSON.stringify({ allowOrigins: ["https://app.example.com"] }, null, 2)}\n`);
  return file;
}

/** The table of the restore drill, if the step has begun. */
async function describeRestored() {
  const { DynamoDBClient } = await import("@aws-sdk/client-dynamodb");
  const { describeTable } = await import("./restore-table.ts");
  const { restoredTable } = await import("./try-on-aws/steps.ts");
  const client = new DynamoDBClient();
  return describeTable(client, restoredTable).finally(() => client.destroy());
}

/** Runs the command of a step with this terminal. */
async function execute(step: Step): Promise<number> {
  const { commandAt } = await import("./try-on-aws/steps.ts");
  const restored = step.name === "restore" ? await describeRestored() : undefined;
  const [file = "", ...words] = commandAt(step, new Date(), restored?.RestoreSummary?.RestoreDateTime);
  const child = spawn(file, words, { cwd: root, stdio: "inherit", env: { ...process.env, ...step.env } });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

await run(program);
