import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as v from "valibot";

const Sample = v.object({ init: v.number(), call: v.number(), status: v.literal(200) });
/** What loading a bundle took and what its first call, in ms of CPU time or of the clock, as its sampler says. */
export type Sample = v.InferOutput<typeof Sample>;

type Asked = { readonly bundle: string; readonly event: unknown; readonly group?: string };

/** A cold start in a process of its own. */
export async function coldStart(
  asked: Asked,
  env: Readonly<Record<string, string>>,
  sampler: "cold-sample" | "throttled-sample" = "cold-sample",
): Promise<Sample> {
  const file = fileURLToPath(import.meta.resolve(`./${sampler}.ts`));
  const { stdout } = await promisify(execFile)(process.execPath, [file, JSON.stringify(asked)], { env });
  const afterTheRequestLog = stdout.trim().split("\n").at(-1) ?? "";
  return v.parse(Sample, JSON.parse(afterTheRequestLog));
}
