import type { UserPool } from "./data/odis.ts";

/** The user pool, from the file that the stack and the deployment write. @throws Error if it cannot be read */
export async function loadSettings(): Promise<UserPool> {
  const response = await fetch("/console/settings.json");
  if (!response.ok) throw new Error("The settings of the console cannot be loaded. Try again in a moment.");
  return (await response.json()) as UserPool;
}
