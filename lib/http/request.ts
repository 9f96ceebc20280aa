import jsonBodyParser from "@middy/http-json-body-parser";
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
 * `query` counts as absent (`api.md`, section 1).
 *
 * @throws Problem `validation_failed` for a known name that is given twice
 */
export function queryOf(known: readonly string[], { rawQueryString }: APIGatewayProxyEventV2): Record<string, string> {
  const given = new URLSearchParams(rawQueryString);
  const query: Record<string, string> = {};
  for (const name of known) {
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

const maxBytes = 64 * 1024;
const maxRawBytes = 256 * 1024;
const { before: parse } = jsonBodyParser();

/**
 * The body as a JSON object; an absent one counts as `{}`.
 *
 * @throws Problem `body_too_large`, `unsupported_media_type`, `malformed_json`
 */
export async function bodyOf(event: APIGatewayProxyEventV2): Promise<unknown> {
  const { body = "", headers } = event;
  if (body === "") return {};
  assertSize(event, maxBytes);
  if (!/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "")) throw new Problem("unsupported_media_type");

  const request = { event: { ...event, headers: { "content-type": "application/json" } } };
  try {
    await parse?.(request as never);
  } catch (cause) {
    throw new Problem("malformed_json", { cause });
  }
  const parsed: unknown = request.event.body;
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new Problem("malformed_json");
  return parsed;
}

/**
 * The body's text as it came, for checking a signature over it.
 *
 * @throws Problem `body_too_large`
 */
export function textOf(event: APIGatewayProxyEventV2): string {
  assertSize(event, maxRawBytes);
  const { body = "", isBase64Encoded } = event;
  return isBase64Encoded ? Buffer.from(body, "base64").toString() : body;
}

function assertSize({ body = "", isBase64Encoded }: APIGatewayProxyEventV2, most: number): void {
  if (Buffer.byteLength(body, isBase64Encoded ? "base64" : "utf8") > most) throw new Problem("body_too_large");
}
