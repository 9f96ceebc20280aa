import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { isVersioned, pathParameters, type Route } from "../contract/route.ts";
import { type Issue, Problem, validationFailed } from "../problem.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const integer = /^[1-9]\d{0,15}$/;

/**
 * The ids of the path: integers, or UUIDs in lower case.
 *
 * @throws Problem `not_found` for an id with an invalid format, because no record can have it
 */
export const paramsOf = (route: Route, { pathParameters: values }: APIGatewayProxyEventV2) =>
  // For a path without parameters, the gateway omits the field, and emulators set it to null.
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value = ""]) => [name, idOf(route, name, value)]));

function idOf({ ids, path }: Route, name: string, text: string): string | number {
  if (ids === "uuid" ? uuid.test(text) : integer.test(text) && Number.isSafeInteger(Number(text)))
    return ids === "uuid" ? text.toLowerCase() : Number(text);
  const thing = pathParameters(path).find((parameter) => parameter.name === name)?.thing ?? "record";
  throw new Problem("not_found", {
    detail: `The id of a ${thing} is a ${ids === "uuid" ? "UUID" : "positive integer"}`,
  });
}

/** A description of the record in the path: `member 7 of community 1`. */
export const recordInPath = ({ path }: Pick<Route, "path">, params: Readonly<Record<string, unknown>>): string =>
  pathParameters(path)
    .map(({ name, thing }) => `${thing} ${String(params[name])}`)
    .toReversed()
    .join(" of ");

/**
 * Parses the query parameters from the raw query string, because the gateway joins repeated parameters with commas. An
 * empty `query` counts as absent. Versioned routes refuse unknown names, others ignore them (`docs/api.md`, section 1).
 *
 * @throws Problem `validation_failed` for an unknown or repeated name
 */
export function queryOf({ query: schema, path }: Route, { rawQueryString }: APIGatewayProxyEventV2) {
  const parameters = new URLSearchParams(rawQueryString);
  const names = new Set(schema && "entries" in schema ? Object.keys(schema.entries as object) : []);
  const errors: Issue[] = [];
  for (const parameter of new Set(parameters.keys()))
    if (!names.has(parameter)) {
      if (isVersioned(path))
        errors.push({ parameter, code: "unknown_property", message: "is not a parameter of this route" });
    } else if (parameters.getAll(parameter).length > 1)
      errors.push({ parameter, code: "duplicate", message: "must be given once" });
  if (errors.length > 0) throw validationFailed(errors);
  return Object.fromEntries(
    Array.from(parameters).filter(([name, value]) => names.has(name) && `${name}=${value}` !== "query="),
  );
}

/** Whether the query requires a signed-in caller. */
export function isPersonal({ personal = {} }: Route, { rawQueryString }: APIGatewayProxyEventV2): boolean {
  const parameters = new URLSearchParams(rawQueryString);
  return Object.entries(personal).some(([name, value]) => parameters.getAll(name).includes(value));
}
