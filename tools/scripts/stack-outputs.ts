import { readFile } from "node:fs/promises";
import type { Command } from "commander";

/** The stage and the file with the outputs of its stack. */
export type OfStack = { readonly stage: string; readonly outputs: string };

/** The outputs that scripts use. */
export type Outputs = {
  readonly ApiUrl?: string;
  readonly UserPoolId?: string;
  readonly TableName?: string;
  readonly ClientId?: string;
  readonly StripeSecretArn?: string;
  readonly StripeReadingSecretArn?: string;
};

/** Adds the options of commands for a deployed stack. */
export const ofStack = (program: Command): Command =>
  program
    .option("--stage <name>", "Stage of the stack", "sandbox")
    .option("--outputs <file>", "File with the outputs of the last deployment", "cdk.out/outputs.json");

/** Reads the outputs of a stage's last deployment. Empty if the file does not exist or lacks the stage. */
export async function outputsOf({ outputs, stage }: OfStack): Promise<Outputs> {
  const text = await readFile(outputs, "utf8").catch(() => "{}");
  return (JSON.parse(text) as Record<string, Outputs>)[`odis-${stage}`] ?? {};
}
