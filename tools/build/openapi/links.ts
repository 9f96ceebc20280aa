import { type PlacedRoute, routes } from "#lib/contract/index.ts";

type Source = { readonly record: string; readonly item: string };

/**
 * What can be done next with the record that a route answers: where its id comes from, and the operations that take it.
 * Tools that try an API follow these from create to show, update and delete.
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

/** Where the id comes from, and what the path of the record is. */
function sourceOf({ method, path, location, etag }: PlacedRoute): Source | undefined {
  if (location) return { record: "$response.body#/id", item: location };
  return method === "GET" && etag && path.endsWith("/{id}") ? { record: "$request.path.id", item: path } : undefined;
}

/** The path parameters of what is done at or below a record; undefined where it is elsewhere. */
function parametersOf({ record, item }: Source, next: PlacedRoute): Record<string, string> | undefined {
  const places = item.split("/");
  const below = next.path.split("/");
  const parameters: Record<string, string> = {};
  for (const [at, place] of places.entries()) {
    const [, name] = /^\{(\w+)\}$/.exec(place) ?? [];
    const [, wanted] = /^\{(\w+)\}$/.exec(below[at] ?? "") ?? [];
    if (name === undefined ? below[at] !== place : wanted === undefined) return undefined;
    if (wanted !== undefined) parameters[wanted] = name === "id" ? record : `$request.path.${name}`;
  }
  return below.slice(places.length).some((place) => place.startsWith("{")) ? undefined : parameters;
}
