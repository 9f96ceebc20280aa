import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import * as v from "valibot";
import type { CursorPage, Route } from "../contract/route.ts";
import { sharedSeconds } from "../contract/time-limits.ts";
import { env } from "../env.ts";
import { addLogFields } from "../log.ts";
import type { Problem, ProblemCode } from "../problem.ts";
import type { StoredResponse } from "../store/idempotency.ts";
import type { csvOf as CsvOf } from "./csv.ts";
import { etagOf, isKnown } from "./etag.ts";
import { paramsOf } from "./request.ts";

export type Reply = APIGatewayProxyStructuredResultV2 & { headers: Record<string, string> };

const always = {
  "x-content-type-options": "nosniff",
  "strict-transport-security": "max-age=63072000; includeSubDomains",
};

/** Reduces a response to its schema, so that attributes outside the contract are never sent. */
export const representation = (output: v.GenericSchema, answer: unknown) =>
  v.parse(output, answer) as { readonly data?: readonly unknown[] };

/** The response of a route. 304 if the caller has the current representation. */
export function replyTo(route: Route, answer: unknown, event: APIGatewayProxyEventV2, csvOf?: typeof CsvOf): Reply {
  const { status = 200, etag, location, method, csv, csvFiles } = route;
  const file = csvFiles?.[event.queryStringParameters?.columns ?? ""];
  const output = file ? pageOf(file) : route.output;
  const headers: Record<string, string> = { ...always, ...cacheControl(route, event), ...requestId(event) };
  const varies = [...(route.access === "optional" ? ["Authorization"] : []), ...(csv ? ["Accept"] : [])];
  if (varies.length > 0) headers.vary = varies.join(", ");
  if (!output) return { statusCode: status, headers };

  const shown = representation(output, answer);
  if (shown.data) addLogFields({ records: shown.data.length });
  if (location) headers.location = filled(location, { ...paramsOf(route, event), ...(answer as object) });
  if (csv && csvOf && prefersCsv(event.headers.accept)) {
    const page = csvOf(file ?? csv, shown as CursorPage<object>, event);
    return { statusCode: status, headers: { ...headers, ...page.headers }, body: page.body };
  }
  if (etag) {
    headers.etag = etagOf(shown);
    if (method === "GET" && isKnown(event.headers["if-none-match"], headers.etag)) return { statusCode: 304, headers };
  }
  return {
    statusCode: status,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(shown),
  };
}

const pageOf = (row: v.GenericSchema) =>
  v.object({ total: v.nullable(v.number()), next_cursor: v.nullable(v.string()), data: v.array(row) });

/** A problem document (RFC 9457). Unexpected errors reveal no details. */
export function replyWithProblem(problem: Problem, event: APIGatewayProxyEventV2): Reply {
  const { code, title, status, message: detail, errors, more } = problem;
  const { requestId: request_id } = event.requestContext;
  return {
    statusCode: status,
    headers: {
      ...always,
      ...requestId(event),
      "cache-control": "no-store",
      "content-type": "application/problem+json",
      ...problem.headers,
    },
    body: JSON.stringify({ type: urlOf(code), title, status, code, detail, request_id, errors, ...more }),
  };
}

const urlOf = (code: ProblemCode): string => `${env("SITE_URL") ?? ""}/docs/problems#${code}`;

/** The part of a reply that is stored for replays. Its other headers are generated for each response. */
export function storedResponse({ statusCode: status = 200, headers, body = "" }: Reply): StoredResponse {
  const names = ["content-type", "etag", "location"].filter((name) => name in headers);
  return { status, headers: Object.fromEntries(names.map((name) => [name, headers[name] ?? ""])), body };
}

/** The stored response of an earlier attempt. */
export const replayedReply = (
  route: Route,
  { status, headers, body }: StoredResponse,
  event: APIGatewayProxyEventV2,
): Reply => ({
  statusCode: status,
  headers: {
    ...always,
    ...cacheControl(route, event),
    ...requestId(event),
    ...headers,
    "idempotency-replayed": "true",
  },
  body,
});

const requestId = (event: APIGatewayProxyEventV2) => ({ "x-request-id": event.requestContext.requestId });

const filled = (template: string, values: Readonly<Record<string, unknown>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));

/**
 * Browsers revalidate records with an ETag and what everybody may read. Other responses to signed-in callers are not
 * stored.
 */
function cacheControl({ access, etag, method }: Route, { headers }: APIGatewayProxyEventV2): Record<string, string> {
  if (access === "optional" && headers.authorization === undefined)
    return { "cache-control": `public, max-age=0, s-maxage=${sharedSeconds}` };
  if (access === "optional" || (etag && method === "GET")) return { "cache-control": "private, no-cache" };
  return access === "public" ? {} : { "cache-control": "no-store" };
}

/** Whether the Accept header prefers `text/csv` to JSON (RFC 9110, section 12.5.1). */
export function prefersCsv(accept = ""): boolean {
  const quality = (type: string) => {
    const range = accept.split(",").find((media) => media.split(";")[0]?.trim().toLowerCase() === type);
    return range === undefined ? 0 : Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1);
  };
  const csv = quality("text/csv");
  return csv > quality("application/json");
}
