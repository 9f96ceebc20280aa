import { setTimeout as wait } from "node:timers/promises";
import { lookFromOutside } from "#lib/canary.ts";
import { silencesAlarms } from "./alarms.ts";
import { versionIn } from "./version.ts";

type SmokeOptions = {
  /** Version with the commit that `/health` must return. By default, the version is not checked. */
  readonly version?: string | undefined;
  /** Maximum number of attempts, and milliseconds between them. */
  readonly attempts?: number;
  readonly pauseMs?: number;
};

const timeoutMs = 30_000;

/**
 * Checks what a deployed stack returns without an account: the health and version of the API, and what the canary checks.
 *
 * @param url URL of API and site
 * @returns the problems, one sentence each
 */
export async function smoke(url: string, { version, attempts = 1, pauseMs = 0 }: SmokeOptions = {}): Promise<string[]> {
  let wrong: string[] = [];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const [health, others] = await Promise.all([
      healthProblem(url, version),
      lookFromOutside(url, () => AbortSignal.timeout(timeoutMs)),
    ]);
    wrong = health === undefined ? others : [health, ...others];
    if (wrong.length === 0) break;
    if (attempt < attempts) await wait(pauseMs);
  }
  return wrong;
}

/**
 * Checks what a stack with a template returns, as {@link smoke} does, with the version of the template.
 *
 * @returns the problems; undefined if the stack is in maintenance, when nothing responds
 */
export const smokeOf = async (
  template: string,
  url: string,
  options: Omit<SmokeOptions, "version"> = {},
): Promise<string[] | undefined> =>
  silencesAlarms(template) ? undefined : smoke(url, { ...options, version: versionIn(template) });

/**
 * Checks the health of an API.
 *
 * @param version version that it must return; undefined for any
 * @returns the problem, as a sentence without a period; undefined if there is none
 */
export async function healthProblem(url: string, version: string | undefined): Promise<string | undefined> {
  const address = `${url.replace(/\/$/, "")}/health`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
    const text = await response.text();
    const body = JSON.parse(text) as Record<string, unknown>;
    if (response.status === 200 && (version === undefined || body.version === version)) return undefined;
    return `${address} returned ${response.status}, ${text.slice(0, 100)}`;
  } catch (error) {
    return `${address} does not respond: ${error instanceof Error ? error.message : String(error)}`;
  }
}
