import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as v from "valibot";
import type { Sam } from "./sam.ts";

const SamFunction = v.object({
  name: v.string(),
  handler: v.string(),
  runtime: v.string(),
  /** Folder of the function's code. */
  code: v.string(),
  environment: v.record(v.string(), v.string()),
});
export type SamFunction = v.InferOutput<typeof SamFunction>;

const Resolved = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ every: v.array(v.string()), functions: v.array(SamFunction) }),
);

type Asked = { readonly template: string; readonly environment: string; readonly names: readonly string[] };

/** Resolves the named functions as `sam local invoke` does. Also returns the names of all functions that SAM finds. */
export function resolve({ python }: Sam, { template, environment, names }: Asked): v.InferOutput<typeof Resolved> {
  const script = join(import.meta.dirname, "resolve.py");
  return v.parse(Resolved, execFileSync(python, [script, template, environment, ...names], { encoding: "utf8" }));
}
