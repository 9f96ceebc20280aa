import { fallback } from "#lib/contract/system.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { Problem } from "#lib/problem.ts";

/** `GET /health` and all others, a line each, put in when the bundle is built, so that no other route's code comes along. */
declare const ROUTE_KEYS: string;

export const handler = endpoint(fallback, everyone, async ({ event }) => {
  const routes = ROUTE_KEYS.split("\n").map((key) => key.split(" ", 2));
  const allowed = routes.filter(([, path = ""]) => matches(path, event.rawPath));
  if (allowed.length === 0) throw new Problem("route_not_found");
  const allow = [...new Set(allowed.map(([method = ""]) => method))].toSorted().join(", ");
  throw new Problem("method_not_allowed", { headers: { allow } });
});

const matches = (path: string, rawPath: string): boolean =>
  new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`).test(rawPath);
