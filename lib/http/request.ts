import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { isVersioned, pathParameters, type Route } from "../contract/route.ts";
import { type Issue, Problem, validationFailed } from "../problem.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const integer = /^[1-9]\d{0,15}$/;

/**
 * The ids of the path: integers, or UUIDs in lower case.
 *
 * @throws Problem `not_found` for an id that does not have its type's form, as nothing can live there
 */
export const paramsOf = (route: Route, { pathParameters: given }: APIGatewayProxyEventV2) =>
  // The gateway leaves them out where there are none; emulators write null.
  Object.fromEntries(Object.entries(given ?? {}).map(([name, value = ""]) => [name, idOf(route, name, value)]));

function idOf({ ids, path }: Route, name: string, given: string): string | number {
  if (ids === "uuid" ? uuid.test(given) : integer.test(given) && Number.isSafeInteger(Number(given)))
    return ids === "uuid" ? given.toLowerCase() : Number(given);
  const thing = pathParameters(path).find((parameter) => parameter.name === name)?.thing ?? "record";
  throw new Problem("not_found", {
    detail: `The id of a ${thing} is a ${ids === "uuid" ? "UUID" : "positive integer"}`,
  });
}

/** The record that a path names, in words: `member 7 of community 1`. */
export const recordInPath = ({ path }: Pick<Route, "path">, params: Readonly<Record<string, unknown>>): string =>
  pathParameters(path)
    .map(({ name, thing }) => `${thing} ${String(params[name])}`)
    .toReversed()
    .join(" of ");

/**
 * The query parameters, from the raw query string, as HTTP API joins repeats with commas. An empty `query` counts as
 * absent; unknown names are refused on the versioned routes and ignored by the others (`docs/api.md`, section 1).
 *
 * @throws Problem `validation_failed` for an unknown name, and for a name that is given twice
 */
export function queryOf({ query: schema, path }: Route, { rawQueryString }: APIGatewayProxyEventV2) {
  const given = new URLSearchParams(rawQueryString);
  const known = new Set(schema && "entries" in schema ? Object.keys(schema.entries as object) : []);
  const errors: Issue[] = [];
  for (const parameter of new Set(given.keys()))
    if (!known.has(parameter)) {
      if (isVersioned(path))
        errors.push({ parameter, code: "unknown_property", message: "is not a parameter of this route" });
    } else if (given.getAll(parameter).length > 1)
      errors.push({ parameter, code: "duplicate", message: "must be given once" });
  if (errors.length > 0) throw validationFailed(errors);
  return Object.fromEntries(
    Array.from(given).filter(([name, value]) => known.has(name) && `${name}=${value}` !== "query="),
  );
}

/** Whether the query requires a signed-in caller. */
export function isPersonal({ personal = {} }: Route, { rawQueryString }: APIGatewayProxyEventV2): boolean {
  const given = new URLSearchParams(rawQueryString);
  return Object.entries(personal).some(([name, value]) => given.getAll(name).includes(value));
}
