import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import * as v from "valibot";
import type { StackVariable } from "#lib/env.ts";
import { UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import { outputsOf } from "./stack-outputs.ts";

const Local = v.looseObject({
  api_url: v.string(),
  cognito_url: v.string(),
  control_url: v.string(),
  environment: v.record(v.string(), v.string()),
});

/**
 * Reads the description of the local stack that is running with a folder.
 *
 * @throws Error if none is running
 */
export async function runningStack(folder: string): Promise<v.InferOutput<typeof Local>> {
  const text = await readFile(join(folder, "local.json"), "utf8").catch(() => {
    throw new Error(`No stack is running in ${folder}. Start one with: npm start`);
  });
  const local = v.parse(v.pipe(v.string(), v.parseJson(), Local), text);
  // A killed stack leaves its file behind.
  await fetch(local.control_url).catch(() => {
    throw new Error(`The stack of ${folder} does not respond. Restart it with: npm start`);
  });
  return local;
}

/** The stack on which a command works. */
export type StackOptions = {
  /** Stage of a deployed stack. Without it, the local stack is used. */
  readonly stage?: string;
  readonly table?: string;
  readonly folder: string;
};

/** Adds the options of commands for the local stack or a deployed one. */
export const ofRunningStack = (program: Command): Command =>
  program
    .option("--stage <name>", "Stage of a deployed stack. Requires AWS credentials")
    .option("--table <name>", "With --stage: another table than that of the stack, such as a restored one")
    .option("--folder <folder>", "Folder of the running local stack's data", ".odis");

/**
 * Configures this process for a deployed stack, or for the local stack that is running with a folder, and prints which one. If `TABLE_NAME` is
 * set and no stage is given, uses that table and the other variables of the environment.
 *
 * @throws Error if there is no such stack
 */
export async function useRunningStack({ stage, table, folder }: StackOptions): Promise<void> {
  if (stage === undefined && table !== undefined) throw new UsageError("--table requires --stage");
  if (stage !== undefined) return useDeployedStack(stage, table);
  if (process.env.TABLE_NAME) return useProfile();
  const { environment } = await runningStack(folder).catch((error: Error) => {
    throw new Error(`${error.message}, or set --stage for a deployed one`);
  });
  console.error(`Target: local stack in ${folder}`);
  Object.assign(process.env, environment);
}

async function useDeployedStack(stage: string, table: string | undefined): Promise<void> {
  await useProfile();
  const outputs = await outputsOf({ stage });
  console.error(`Target: stage ${stage}`);
  const variables: Partial<Record<StackVariable, string | undefined>> = {
    TABLE_NAME: table ?? outputs.TableName,
    EPOCH: outputs.Epoch,
    STRIPE_SECRET_ARN: outputs.StripeSecretArn,
    ERASURES_BUCKET: outputs.ErasuresBucketName,
    USER_POOL_ID: outputs.UserPoolId,
  };
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value;
}
