import { readFile } from "node:fs/promises";
import type { Command } from "commander";

/** Where the outputs of a deployed stack are. */
export type OfStack = { readonly stage: string; readonly outputs: string };

/** Outputs that scripts use. */
export type Outputs = {
  readonly ApiUrl?: string;
  readonly UserPoolId?: string;
  readonly TableName?: string;
  readonly ClientId?: string;
  readonly StripeSecretArn?: string;
  readonly StripeReadingSecretArn?: string;
};

/** A command that is about a deployed stack. */
export const ofStack = (program: Command): Command =>
  program
    .option("--stage <name>", "Stage of the stack", "sandbox")
    .option("--outputs <file>", "File with the outputs of the last deployment", "cdk.out/outputs.json");

/** The outputs of a stage's last deployment; none if there is no such file, or the stage is not in it. */
export async function outputsOf({ outputs, stage }: OfStack): Promise<Outputs> {
  const text = await readFile(outputs, "utf8").catch(() => "{}");
  return (JSON.parse(text) as Record<string, Outputs>)[`odis-${stage}`] ?? {};
}
