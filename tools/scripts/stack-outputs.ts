import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { UsageError } from "../command.ts";
import { cloudFormation } from "./deploy/cloudformation.ts";

/** A stage, and a file with the outputs of its stack, if they are not read from CloudFormation. */
export type OfStack = { readonly stage: string; readonly outputs?: string };

/** The outputs that scripts use. */
export type Outputs = {
  readonly ApiUrl?: string;
  readonly UserPoolId?: string;
  readonly TableName?: string;
  readonly Epoch?: string;
  readonly ClientId?: string;
  readonly StripeSecretArn?: string;
  readonly StripeReadingSecretArn?: string;
  readonly ErasuresBucketName?: string;
  readonly FailedRecordsBucketName?: string;
  readonly AccountsBucketName?: string;
};

/** Adds the options of commands for a deployed stack. */
export const ofStack = (program: Command): Command =>
  program
    .option("--stage <name>", "Stage of the stack", "sandbox")
    .option("--outputs <file>", "File of cdk deploy --outputs-file, to read instead of the stack in CloudFormation");

/**
 * Reads the outputs of a stage's stack from CloudFormation, or from a file.
 *
 * @throws Error if there is no such stack
 */
export async function outputsOf({ outputs: file, stage }: OfStack): Promise<Outputs> {
  const name = `odis-${stage}`;
  const outputs =
    file === undefined
      ? (await cloudFormation().describe(name))?.outputs
      : (JSON.parse(await readFile(file, "utf8")) as Record<string, Outputs>)[name];
  if (!outputs) throw new Error(`There is no stack ${name}${file === undefined ? "" : ` in ${file}`}. Deploy it first`);
  return outputs;
}

/**
 * Returns the value of an option, or else an output of the stage's stack.
 *
 * @throws UsageError if there is neither the option nor a stage
 */
export async function valueOr(
  value: string | undefined,
  stage: string | undefined,
  name: keyof Outputs,
): Promise<string> {
  if (value !== undefined) return value;
  if (stage === undefined) throw new UsageError("Set --stage");
  const output = (await outputsOf({ stage }))[name];
  if (!output) throw new Error(`The stack of ${stage} has no output ${name}`);
  return output;
}
