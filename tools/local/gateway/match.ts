/** The key of a route in API Gateway: `GET /pets/{id}`, `ANY /{proxy+}` or `$default`. */
export type RouteKey = { readonly key: string };

export type Match<Route> = {
  readonly route: Route;
  /** The path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
};

/**
 * Finds the route of a request. A full match takes precedence over a greedy variable, fixed text over a variable, a
 * method over `ANY`, and everything over `$default`.
 *
 * @param path percent-encoded path
 * @throws URIError for a malformed path parameter
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
 */
export function matchRoute<Route extends RouteKey>(
  routes: readonly Route[],
  method: string,
  path: string,
): Match<Route> | undefined {
  return routes
    .flatMap((route) => {
      const params = paramsOf(route.key, method, path);
      return params ? [{ route, params, rank: rankOf(route.key) }] : [];
    })
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .at(0);
}

function paramsOf(key: string, method: string, path: string): Record<string, string> | undefined {
  if (key === "$default") return {};
  const [routeMethod, template = ""] = key.split(" ", 2);
  if (routeMethod !== method && routeMethod !== "ANY") return undefined;

  const names = template.split("/");
  const segments = path.split("/");
  const params: Record<string, string> = {};
  for (const [place, name] of names.entries()) {
    const [, variable, greedy] = /^\{(.+?)(\+?)\}$/.exec(name) ?? [];
    const value = greedy ? segments.slice(place).join("/") : segments[place];
    if (variable === undefined ? value !== name : !value) return undefined;
    if (variable !== undefined) params[variable] = decodeURIComponent(value ?? "");
    if (greedy) return params;
  }
  return names.length === segments.length ? params : undefined;
}

/** Rank of a route. The matching route with the lowest rank takes precedence. */
function rankOf(key: string): string {
  if (key === "$default") return "2";
  const [method, template = ""] = key.split(" ", 2);
  const segments = template.split("/").map((name) => (name.endsWith("+}") ? 2 : name.startsWith("{") ? 1 : 0));
  return [segments.includes(2) ? 1 : 0, ...segments, method === "ANY" ? 1 : 0].join("");
}
