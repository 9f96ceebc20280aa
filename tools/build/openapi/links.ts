import { type PlacedRoute, routes } from "#lib/contract/index.ts";

type Source = { readonly record: string; readonly item: string };

/**
 * Returns the OpenAPI links of a route: where the id of its record comes from, and the operations on the record. Tools
 * that test an API follow them from create to show, update and delete.
 */
export function linksOf(route: PlacedRoute): Record<string, object> {
  const source = sourceOf(route);
  if (!source) return {};
  return Object.fromEntries(
    routes.flatMap((next) => {
      const parameters = next.id === route.id ? undefined : parametersOf(source, next);
      return parameters ? [[next.id, { operationId: next.id, description: next.summary, parameters }]] : [];
    }),
  );
}

/** Returns where the id comes from, and the path of the record. */
function sourceOf({ method, path, location, etag }: PlacedRoute): Source | undefined {
  if (location) return { record: "$response.body#/id", item: location };
  return method === "GET" && etag && path.endsWith("/{id}") ? { record: "$request.path.id", item: path } : undefined;
}

/** The path parameters of an operation at or below a record. Undefined for other operations. */
function parametersOf({ record, item }: Source, next: PlacedRoute): Record<string, string> | undefined {
  const places = item.split("/");
  const below = next.path.split("/");
  const parameters: Record<string, string> = {};
  for (const [at, place] of places.entries()) {
    const [, name] = /^\{(\w+)\}$/.exec(place) ?? [];
    const [, parameter] = /^\{(\w+)\}$/.exec(below[at] ?? "") ?? [];
    if (name === undefined ? below[at] !== place : parameter === undefined) return undefined;
    if (parameter !== undefined) parameters[parameter] = name === "id" ? record : `$request.path.${name}`;
  }
  return below.slice(places.length).some((place) => place.startsWith("{")) ? undefined : parameters;
}
