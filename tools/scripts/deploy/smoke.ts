import { setTimeout as wait } from "node:timers/promises";

type Options = {
  /** Version that `/health` must tell; any where it is left out. */
  readonly version?: string;
  /** How often everything is tried until it works, and the milliseconds in between. */
  readonly attempts?: number;
  readonly pauseMs?: number;
};

/**
 * Asks a deployed stack what needs no account: the health of the API and its version, a page of the site, and a route that
 * refuses callers without a token.
 *
 * @param url address of API and site
 * @returns what is wrong, one sentence for each; nothing where all is well
 */
export async function smoke(url: string, { version, attempts = 1, pauseMs = 0 }: Options = {}): Promise<string[]> {
  let wrong: string[] = [];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const found = await Promise.all([
      check(url, "/health", 200, (body) => version === undefined || body.version === version),
      check(url, "/openapi.json", 200, (body) => String(body.openapi).startsWith("3.")),
      check(url, "/odis/v1/me/data", 401, (body) => body.code === "missing_token"),
    ]);
    wrong = found.filter((one) => one !== undefined);
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
