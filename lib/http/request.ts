import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Route } from "../contract/route.ts";
import { Problem } from "../problem.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const integer = /^[1-9]\d{0,15}$/;

/**
 * The ids of the path: integers, or UUIDs in lower case.
 *
 * @throws Problem `not_found` for an id that does not have its type's form, as nothing can live there
 */
export function paramsOf({ path, ids }: Route, { pathParameters = {} }: APIGatewayProxyEventV2) {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  return Object.fromEntries(names.map((name) => [name, idOf(ids, pathParameters[name] ?? "")]));
}

function idOf(ids: Route["ids"], given: string): string | number {
  if (ids === "uuid" ? uuid.test(given) : integer.test(given) && Number.isSafeInteger(Number(given)))
    return ids === "uuid" ? given.toLowerCase() : Number(given);
  throw new Problem("not_found");
}

/**
 * The query parameters that the route knows, from the raw query string, as HTTP API joins repeats with commas. An empty
 * `query` counts as absent (`docs/api.md`, section 1).
 *
 * @throws Problem `validation_failed` for a known name that is given twice
 */
export function queryOf(
  schema: NonNullable<Route["query"]>,
  { rawQueryString }: APIGatewayProxyEventV2,
): Record<string, string> {
  const given = new URLSearchParams(rawQueryString);
  const query: Record<string, string> = {};
  for (const name of "entries" in schema ? Object.keys(schema.entries as object) : []) {
    const [value, another] = given.getAll(name);
    if (another !== undefined)
      throw new Problem("validation_failed", {
        detail: `${name} must be given once`,
        errors: [{ parameter: name, code: "repeated", message: "must be given once" }],
      });
    if (value !== undefined && !(name === "query" && value === "")) query[name] = value;
  }
  return query;
}

/** Whether the query asks for what only a caller can be told. */
export function isPersonal({ personal = {} }: Route, { rawQueryString }: APIGatewayProxyEventV2): boolean {
  const given = new URLSearchParams(rawQueryString);
  return Object.entries(personal).some(([name, value]) => given.getAll(name).includes(value));
}
