import { createOdis, OdisProblem } from "odis/client";

export type DoorOptions = {
  /** URL of the API. */
  readonly apiUrl: string;
  readonly communityId: number;
  /** Returns the access token of the person who sent the request, such as from a cookie. */
  readonly tokenOf: (request: Request) => string | undefined;
  /** The current time in milliseconds. */
  readonly now?: () => number;
};

/** Returns the content if the person who sent the request has access, and otherwise 401, 403 or 503. */
export type Door = (request: Request, content: () => Response | Promise<Response>) => Promise<Response>;

/** How long granted access is cached, in milliseconds. A person who loses access can enter for as long. */
const cachedMs = 60_000;

/** Protects content for the members of a community. Uses only Web standards, so that it runs in every framework. */
export function createDoor({ apiUrl, communityId, tokenOf, now = Date.now }: DoorOptions): Door {
  const path = { community_id: communityId };
  /** Until when access is cached, by token. Refusals are not cached, so that people can enter as soon as they have paid. */
  const cached = new Map<string, number>();

  async function hasAccess(token: string): Promise<boolean> {
    const asked = now();
    for (const [other, until] of cached) if (until <= asked) cached.delete(other);
    if (cached.has(token)) return true;
    const odis = createOdis({ baseUrl: apiUrl, token: () => token, retries: { attempts: 2, longestWait: 1000 } });
    const signal = AbortSignal.timeout(5000);
    const { access } = await odis.get("/odis/v1/communities/{community_id}/membership", { params: { path }, signal });
    const end = access.until === null ? Infinity : Date.parse(access.until);
    if (access.granted) cached.set(token, Math.min(asked + cachedMs, end));
    return access.granted;
  }

  return async (request, content) => {
    const token = tokenOf(request);
    if (!token) return refusal(401, "Sign in");
    try {
      if (!(await hasAccess(token))) return refusal(403, "For members only");
    } catch (error) {
      // Without an answer of the API, nobody enters.
      return error instanceof OdisProblem && error.status === 401
        ? refusal(401, "Sign in again")
        : refusal(503, "Try again later");
    }
    const inside = await content();
    // The headers of a response of `fetch` cannot be changed.
    const response = new Response(inside.body, inside);
    response.headers.set("cache-control", "private, no-store");
    return response;
  };
}

const refusal = (status: number, text: string) =>
  new Response(text, { status, headers: { "cache-control": "no-store" } });
