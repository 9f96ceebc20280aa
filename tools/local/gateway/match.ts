/** A route as API Gateway knows it: `GET /pets/{id}`, `ANY /{proxy+}` or `$default`. */
export type RouteKey = { readonly key: string };

export type Match<Route> = {
  readonly route: Route;
  /** The path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
};

/**
 * The route that takes a request: of those that match, a full match goes before one with a greedy variable, fixed text
 * before a variable, a method before `ANY`, and `$default` last.
 *
 * @param path as it was sent, percent-encoded
 * @throws URIError for a path parameter that is not well-formed
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
  const [wanted, template = ""] = key.split(" ", 2);
  if (wanted !== method && wanted !== "ANY") return undefined;

  const names = template.split("/");
  const given = path.split("/");
  const params: Record<string, string> = {};
  for (const [place, name] of names.entries()) {
    const [, variable, greedy] = /^\{(.+?)(\+?)\}$/.exec(name) ?? [];
    const value = greedy ? given.slice(place).join("/") : given[place];
    if (variable === undefined ? value !== name : !value) return undefined;
    if (variable !== undefined) params[variable] = decodeURIComponent(value ?? "");
    if (greedy) return params;
  }
  return names.length === given.length ? params : undefined;
}

/** Lower goes first. */
function rankOf(key: string): string {
  if (key === "$default") return "2";
  const [method, template = ""] = key.split(" ", 2);
  const segments = template.split("/").map((name) => (name.endsWith("+}") ? 2 : name.startsWith("{") ? 1 : 0));
  return [segments.includes(2) ? 1 : 0, ...segments, method === "ANY" ? 1 : 0].join("");
}
