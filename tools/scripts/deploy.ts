import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import * as v from "valibot";
import packageJson from "../../package.json" with { type: "json" };
import { command, integer, run, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import type { Account } from "./deploy/refusals.ts";
import type { Steps } from "./deploy/release.ts";

type DeployOptions = {
  readonly stage: string;
  readonly yes?: true;
  readonly url?: string;
  readonly assembly?: string;
  readonly context: readonly string[];
  readonly monitor: number;
  readonly wait: number;
  readonly triggers: boolean;
  readonly table?: string;
};

const root = join(import.meta.dirname, "../..");
const outputsFile = "cdk.out/outputs.json";

const program = command(
  "npm run deploy --",
  "Deploys a stage: checks the prerequisites, shows the changes, deploys them, and checks that the new version works.",
)
  .option("--stage <name>", "Stage: prod, sandbox or sandbox-<name>", "sandbox")
  .option("-y, --yes", "Deploy without asking for confirmation")
  .option(
    "-c, --context <key=value>",
    "Context value of the stack; may be repeated",
    (value, values: string[]) => [...values, value],
    [],
  )
  .option("--assembly <folder>", "Deploy the output of cdk synth in this folder, and build nothing")
  .option("--url <url>", "URL to check after the deployment, if it is not the output ApiUrl")
  .option("--monitor <minutes>", "How long after the deployment alarms can roll it back", integer(0, 180), 10)
  .option("--wait <seconds>", "How long the new version may take to respond as expected", integer(0), 60)
  .option(
    "--no-triggers",
    "Do not let alarms roll the deployment back, for example to deploy a fix while one is firing",
  )
  .option(
    "--table <name>",
    'Table that the stage changes to: the one in its file, or "own" for the table of the stack. Required if the stack uses another one now',
  )
  .addHelpText(
    "after",
    `
From the second deployment on, CloudFormation rolls a deployment back if an alarm fires, except with -c maintenance=true.
If the new version is deployed but does not respond as expected, the previous template is deployed again.`,
  )
  .action(deploy);

async function deploy({ stage, yes, ...options }: DeployOptions): Promise<void> {
  const { findMistakes, readStageFile, settingsFor } = await import("../../infra/settings.ts");
  const contents = readStageFile(stage);
  if (refused(findMistakes(stage, contents))) return;
  if (!yes && !process.stdin.isTTY) throw new UsageError("Cannot ask for confirmation without a terminal: set --yes");
  const settings = settingsFor(stage, contents);
  await useProfile();
  const { refusalsOf, tableRefusalsOf } = await import("./deploy/refusals.ts");
  const { cloudFormation } = await import("./deploy/cloudformation.ts");
  const running = await cloudFormation().describe(`odis-${stage}`);
  const { accountRefusalsOf, verificationHintOf } = await import("./deploy/account-refusals.ts");
  const { apiDomainRefusalsOf } = await import("./deploy/api-domain-refusals.ts");
  const { indexRefusalsOf } = await import("./deploy/index-refusals.ts");
  const { isMaintenance } = await import("./deploy/triggers.ts");
  const { senderRegionFaults } = await import("./doctor/email.ts");
  const found = await account();
  const deployed = running && { ...running, template: await cloudFormation().template(`odis-${stage}`) };
  const reasons = [
    ...refusalsOf(settings, found),
    ...tableRefusalsOf(settings, running, options.table),
    ...(await apiDomainRefusalsOf(settings, deployed)),
    ...(isMaintenance(options.context) ? [] : await indexRefusalsOf(settings)),
    // A stage that runs must stay deployable, so that it can be mended.
    ...(running ? [] : await accountRefusalsOf(settings, found.region)),
  ];
  if (refused(reasons)) return;
  const hint = running ? undefined : await verificationHintOf();
  if (hint !== undefined) console.log(hint);
  if (settings.sender)
    for (const { says } of senderRegionFaults(settings.sender.identityArn, found.region)) console.log(says);

  const { release } = await import("./deploy/release.ts");
  await using temporary = await mkdtempDisposable(join(tmpdir(), "odis-release-"));
  const { path: folder } = temporary;
  const released = { ...options, stage, folder, yes: yes === true, isProtected: settings.isProtected };
  const isReleased = await release(await stepsOf(`odis-${stage}`, released));
  if (!isReleased) process.exitCode = 1;
}

/** Prints the reasons why a stage is not deployed. @returns whether there are any */
function refused(reasons: readonly string[]): boolean {
  for (const reason of reasons) console.error(reason);
  if (reasons.length > 0) process.exitCode = 1;
  return reasons.length > 0;
}

async function account(): Promise<Account> {
  const { GetAccountSettingsCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
  const { cloudFormation } = await import("./deploy/cloudformation.ts");
  const [toolkit, { AccountLimit }] = await Promise.all([
    cloudFormation().describe("CDKToolkit"),
    new LambdaClient().send(new GetAccountSettingsCommand()),
  ]);
  return {
    region: process.env.AWS_REGION ?? "",
    isBootstrapped: toolkit !== undefined,
    concurrentExecutions: AccountLimit?.ConcurrentExecutions ?? 0,
  };
}

type Context = Omit<DeployOptions, "yes"> & {
  /** Folder for the assembly of the deployed version. */
  readonly folder: string;
  readonly yes: boolean;
  readonly isProtected: boolean;
};

async function stepsOf(stack: string, options: Context): Promise<Steps> {
  const { cloudFormation } = await import("./deploy/cloudformation.ts");
  const { writeAssembly } = await import("./deploy/assembly.ts");
  const { smokeOf } = await import("./deploy/smoke.ts");
  const { refusedChanges } = await import("./deploy/refused-changes.ts");
  const { resetAlarms, silencesAlarms } = await import("./deploy/alarms.ts");
  const { standingOf } = await import("./deploy/standing.ts");
  const { clearTriggers, triggerOptions } = await import("./deploy/triggers.ts");
  const { versionOf } = await import("./deploy/version.ts");
  const { stage, assembly = "cdk.out", context, folder, url, yes, isProtected, table } = options;
  const stacks = cloudFormation();
  const newTemplate = () => readFile(resolve(root, assembly, `${stack}.template.json`), "utf8");
  const put = (app: string, words: readonly string[]) =>
    cdk("deploy", stack, "--app", app, "--require-approval", "never", ...words);
  return {
    async running() {
      const { status, outputs = {} } = (await stacks.describe(stack)) ?? {};
      if (standingOf(stack, status) === "new") return undefined;
      const { RollbackAlarmArns = "" } = outputs;
      const template = await stacks.template(stack);
      const triggers = RollbackAlarmArns.split(",").filter(Boolean);
      return { template, triggers, isSilent: silencesAlarms(template) };
    },
    async prepare(isFirst) {
      if (options.assembly !== undefined) return;
      process.env.ODIS_VERSION = await versionOf(root, packageJson.version);
      const values = [`stage=${stage}`, `first=${isFirst}`, ...context];
      await cdk("synth", "--quiet", ...values.flatMap((value) => ["-c", value]));
    },
    refusals: async (template) => refusedChanges(template, await newTemplate()),
    diff: () => cdk("diff", stack, "--app", assembly),
    async ask() {
      if (yes) return true;
      const terminal = createInterface({ input: process.stdin, output: process.stdout });
      const answer = await terminal.question(`Deploy ${stack} to ${process.env.AWS_REGION}? (y/N) `);
      terminal.close();
      return /^y(es)?$/i.test(answer.trim());
    },
    deploy: (alarmArns) =>
      put(assembly, ["--outputs-file", outputsFile, ...tableParameter(table), ...triggerOptions(alarmArns, options)]),
    protect: async () => {
      if (isProtected) await stacks.protect(stack);
    },
    async smoke(template) {
      const { outputs: { ApiUrl = "" } = {} } = (await stacks.describe(stack)) ?? {};
      const pauseMs = 2000;
      const attempts = 1 + Math.ceil((options.wait * 1000) / pauseMs);
      return smokeOf(template ?? (await newTemplate()), url ?? ApiUrl, { attempts, pauseMs });
    },
    async restore(template) {
      await writeAssembly(template, { assembly, folder, stack });
      const { Parameters } = v.parse(Deployed, JSON.parse(template));
      await put(folder, [...tableParameter(Parameters?.TableInUse?.Default), ...clearTriggers]);
    },
    resetAlarms: () => resetAlarms(stage),
    say: (line) => console.log(line),
  };
}

/** The table in a deployed template. */
const Deployed = v.object({
  Parameters: v.optional(v.object({ TableInUse: v.optional(v.object({ Default: v.string() })) })),
});

/** Returns the parameter with the table of a template. Without it, the stack keeps its value. */
const tableParameter = (table: string | undefined): string[] =>
  table === undefined ? [] : ["--parameters", `TableInUse=${table}`];

/** Runs the CDK CLI. @throws Error if it fails, after its output */
async function cdk(...words: readonly string[]): Promise<void> {
  const running = spawn(join(root, "node_modules/.bin/cdk"), words, { cwd: root, stdio: "inherit" });
  const [code] = (await once(running, "exit")) as [number | null];
  if (code !== 0) throw new Error(`cdk ${words[0]} failed`);
}

await run(program);
