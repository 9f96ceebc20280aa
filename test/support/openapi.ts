import { readFileSync } from "node:fs";

type Reference = { readonly $ref?: string };
type Parameter = Reference & {
  readonly in?: string;
  readonly name?: string;
  readonly schema?: Reference & { readonly type?: string; readonly enum?: readonly string[] };
};
type Operation = {
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, Reference & { readonly headers?: object }>>;
};
type OpenApi = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

const openapi = JSON.parse(readFileSync("openapi.json", "utf8")) as OpenApi;

const resolve = <T extends Reference>(part: T): T =>
  (part.$ref?.split("/").slice(1) ?? []).reduce<unknown>(
    (found, name) => (found as Record<string, unknown>)[name],
    part.$ref === undefined ? part : openapi,
  ) as T;

const namesOf = (parameters: readonly Parameter[]) => parameters.map(({ name = "" }) => name);

/** The operations of `openapi.json`, with the names of the headers that they read and return. */
export const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { parameters = [], responses, ...operation }]) => ({
    ...operation,
    key: `${method.toUpperCase()} ${path}`,
    method,
    headers: namesOf(parameters.map(resolve).filter((parameter) => parameter.in === "header")),
    query: parameters
      .map(resolve)
      .filter((parameter) => parameter.in === "query")
      .map(({ schema = {}, ...parameter }) => ({ ...parameter, schema: resolve(schema) })),
    responseHeaders: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, Object.keys(resolve(response).headers ?? {})]),
    ),
  })),
);
