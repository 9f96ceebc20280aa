import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { useProfile } from "./aws-profile.ts";

/**
 * Turns this process to the local stack that runs with this folder; or, where `TABLE_NAME` names a deployed table, to
 * the AWS profile at hand. Ends the process where there is neither.
 */
export async function useRunningStack(folder: string): Promise<void> {
  if (process.env.TABLE_NAME) return useProfile();
  const text = await readFile(join(folder, "local.json"), "utf8").catch(() => {
    console.error("Set TABLE_NAME, or start a stack here: npm start");
    process.exit(2);
  });
  const { environment } = JSON.parse(text) as { environment: Readonly<Record<string, string>> };
  Object.assign(process.env, environment);
}
