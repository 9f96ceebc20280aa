import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as v from "valibot";

const Sample = v.object({ init: v.number(), call: v.number(), status: v.literal(200) });
/** CPU time in ms of loading a bundle and of its first call. */
export type Sample = v.InferOutput<typeof Sample>;

const sampler = fileURLToPath(import.meta.resolve("./cold-sample.ts"));

/** A cold start in a process of its own. */
export async function coldStart(
  asked: { readonly bundle: string; readonly event: unknown },
  env: Readonly<Record<string, string>>,
): Promise<Sample> {
  const { stdout } = await promisify(execFile)(process.execPath, [sampler, JSON.stringify(asked)], { env });
  const afterTheRequestLog = stdout.trim().split("\n").at(-1) ?? "";
  return v.parse(Sample, JSON.parse(afterTheRequestLog));
}
