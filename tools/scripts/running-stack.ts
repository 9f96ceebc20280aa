import { readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Turns this process to the local stack that runs with this folder, where `TABLE_NAME` does not name a deployed table.
 * Ends the process where there is neither.
 */
export async function useRunningStack(folder: string): Promise<void> {
  if (process.env.TABLE_NAME) return;
  const text = await readFile(join(folder, "local.json"), "utf8").catch(() => {
    console.error("Set TABLE_NAME, or start a stack here: npm start");
    process.exit(2);
  });
  const { environment } = JSON.parse(text) as { environment: Readonly<Record<string, string>> };
  Object.assign(process.env, environment);
}
