import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

type Options = { readonly env: Readonly<Record<string, string>>; readonly flags?: readonly string[] };

/** Runs a sampler of this folder in a process of its own. @returns the lines that it prints, its result last */
export async function sampled(sampler: string, asked: object, { env, flags = [] }: Options): Promise<string[]> {
  const file = fileURLToPath(import.meta.resolve(`./${sampler}.ts`));
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, file, JSON.stringify(asked)], { env });
  return stdout.trim().split("\n");
}
