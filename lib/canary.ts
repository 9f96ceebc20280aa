/** A request that anybody may send, and the response that shows that a part of the stack works. */
type Probe = {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isExpected: (status: number, body: string) => boolean;
};

const codeOf = (body: string): unknown => {
  try {
    return (JSON.parse(body) as { readonly code?: unknown } | null)?.code;
  } catch {
    return undefined;
  }
};

const probes: readonly Probe[] = [
  // A page of the site.
  { path: "/explore", isExpected: (status, body) => status === 200 && body.includes("<html") },
  // A read of the table. A community with this id need not exist.
  {
    path: "/odis/v1/communities/1",
    isExpected: (status, body) => status === 200 || (status === 404 && codeOf(body) === "not_found"),
  },
  // A token that must be refused.
  {
    path: "/odis/v1/me/data",
    headers: { authorization: "Bearer canary" },
    isExpected: (status, body) => status === 401 && codeOf(body) === "invalid_token",
  },
];

/**
 * Requests a page of the site, a read of the table, and a route with an invalid token, as anybody on the internet could.
 *
 * @param url URL of API and site
 * @param deadline aborts the requests
 * @returns the problems, one sentence each
 */
export async function lookFromOutside(url: string, deadline: () => AbortSignal): Promise<string[]> {
  const problems = await Promise.all(probes.map((probe) => problemOf(url, probe, deadline())));
  return problems.filter((problem) => problem !== undefined);
}

async function problemOf(url: string, { path, headers = {}, isExpected }: Probe, signal: AbortSignal) {
  const address = `${url.replace(/\/$/, "")}${path}`;
  try {
    const response = await fetch(address, { headers: { "user-agent": "odis-canary", ...headers }, signal });
    const body = await response.text();
    return isExpected(response.status, body)
      ? undefined
      : `${address} returned ${response.status}, ${body.slice(0, 100)}`;
  } catch (error) {
    return `${address} does not respond: ${error instanceof Error ? error.message : String(error)}`;
  }
}
