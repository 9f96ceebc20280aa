import { setTimeout as wait } from "node:timers/promises";

type SmokeOptions = {
  /** Version that `/health` must return. By default, the version is not checked. */
  readonly version?: string;
  /** Maximum number of attempts, and milliseconds between them. */
  readonly attempts?: number;
  readonly pauseMs?: number;
};

/**
 * Checks what a deployed stack returns without an account: the health and version of the API, a page of the site, and
 * 401 from a route that requires a token.
 *
 * @param url URL of API and site
 * @returns the problems, one sentence each
 */
export async function smoke(url: string, { version, attempts = 1, pauseMs = 0 }: SmokeOptions = {}): Promise<string[]> {
  let wrong: string[] = [];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const results = await Promise.all([
      check(url, "/health", 200, (body) => version === undefined || body.version === version),
      check(url, "/openapi.json", 200, (body) => String(body.openapi).startsWith("3.")),
      check(url, "/odis/v1/me/data", 401, (body) => body.code === "missing_token"),
    ]);
    wrong = results.filter((problem) => problem !== undefined);
    if (wrong.length === 0) break;
    if (attempt < attempts) await wait(pauseMs);
  }
  return wrong;
}

async function check(
  url: string,
  path: string,
  status: number,
  isRight: (body: Readonly<Record<string, unknown>>) => boolean,
): Promise<string | undefined> {
  const address = `${url.replace(/\/$/, "")}${path}`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(30_000) });
    const text = await response.text();
    if (response.status === status && isRight(JSON.parse(text) as Record<string, unknown>)) return undefined;
    return `${address} returned ${response.status}, ${text.slice(0, 100)}`;
  } catch (error) {
    return `${address} does not respond: ${error instanceof Error ? error.message : String(error)}`;
  }
}
