import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { useProfile } from "./aws-profile.ts";

const Local = v.looseObject({
  control_url: v.string(),
  environment: v.record(v.string(), v.string()),
});

/**
 * What the local stack that runs with a folder says of itself.
 *
 * @throws Error if none runs
 */
export async function runningStack(folder: string): Promise<v.InferOutput<typeof Local>> {
  const text = await readFile(join(folder, "local.json"), "utf8").catch(() => {
    throw new Error(`No stack is running in ${folder}. Start one with: npm start`);
  });
  const local = v.parse(v.pipe(v.string(), v.parseJson(), Local), text);
  // A stack that was killed leaves its file behind.
  await fetch(local.control_url).catch(() => {
    throw new Error(`The stack of ${folder} does not respond. Restart it with: npm start`);
  });
  return local;
}

/**
 * Turns this process to the local stack that runs with a folder; or, if `TABLE_NAME` names a deployed table, to the AWS
 * credentials at hand.
 *
 * @throws Error if there is neither
 */
export async function useRunningStack(folder: string): Promise<void> {
  if (process.env.TABLE_NAME) return useProfile();
  const { environment } = await runningStack(folder).catch((error: Error) => {
    throw new Error(`${error.message}, or set TABLE_NAME for a deployed one`);
  });
  Object.assign(process.env, environment);
}
