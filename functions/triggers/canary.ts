import { lookFromOutside } from "#lib/canary.ts";
import { env } from "#lib/env.ts";
import { machine } from "#lib/runtime.ts";

/** Timeout of each request, in milliseconds. */
export const timeoutMs = 20_000;

/**
 * On a schedule: looks at the site and the API from the internet. Fails if anything does not respond as expected, so that
 * Lambda counts an error.
 */
export async function handler(): Promise<void> {
  const url = env("SITE_URL");
  if (url === undefined) throw new Error("Missing environment variable SITE_URL");
  const problems = await lookFromOutside(url, () => machine.deadline(timeoutMs));
  if (problems.length > 0) throw new Error(problems.join(". "));
}
