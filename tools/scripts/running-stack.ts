import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { useProfile } from "./aws-profile.ts";

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

/**
 * Configures this process for the local stack that is running with a folder. If `TABLE_NAME` is set, uses that deployed
 * table with the AWS credentials of the environment.
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
