import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

type ProcessOptions = { readonly env: Readonly<Record<string, string>>; readonly flags?: readonly string[] };

/**
 * Runs a script of this folder in its own process.
 *
 * @returns the printed lines. The last one is the result
 */
export async function sampled(sampler: string, input: object, { env, flags = [] }: ProcessOptions): Promise<string[]> {
  const file = fileURLToPath(import.meta.resolve(`./${sampler}.ts`));
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, file, JSON.stringify(input)], { env });
  return stdout.trim().split("\n");
}
