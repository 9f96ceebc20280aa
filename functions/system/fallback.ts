import { fallback } from "#lib/contract/system.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { Problem } from "#lib/problem.ts";

/** All routes, one per line: `GET /health`. Inserted by the build, so that the bundle has no code of other routes. */
declare const ROUTE_KEYS: string;

export const handler = endpoint(fallback, everyone, async ({ event }) => {
  const routes = ROUTE_KEYS.split("\n").map((key) => key.split(" ", 2));
  const paths = routes.map(([, path = ""]) => path).filter((path) => matches(path, event.rawPath));
  // Prefers a literal path such as `/members/import` to one with a parameter, such as `/members/{id}`.
  const nearest = paths.toSorted((a, b) => parameters(a) - parameters(b))[0];
  if (nearest === undefined) throw new Problem("route_not_found");
  const allowed = routes.filter(([, path]) => path === nearest).map(([method]) => method);
  const allow = allowed.join(", ");
  throw new Problem("method_not_allowed", { headers: { allow } });
});

const matches = (path: string, rawPath: string): boolean =>
  new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`).test(rawPath);

const parameters = (path: string): number => path.split("{").length;
