import { type Header, type HttpAnswer, type HttpRequest, headerOf } from "../loopback.ts";

/**
 * The CORS configuration, as in CloudFormation. Each list may contain `*`. An origin may be `https://*`, or end in `:*`
 * for any port.
 */
export type Cors = {
  readonly allowOrigins: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly allowMethods: readonly string[];
};

/** Returns the gateway's response to a preflight request of any path. Undefined for other requests. */
export function preflight(cors: Cors, request: HttpRequest): HttpAnswer | undefined {
  const asks = headerOf(request, "origin") && headerOf(request, "access-control-request-method");
  if (request.method !== "OPTIONS" || !asks) return undefined;

  const { allowMethods, allowHeaders } = cors;
  const headers = ifAllowed(cors, request, [
    ["access-control-allow-methods", allowMethods.join(",")],
    ["access-control-allow-headers", allowHeaders.join(",")],
  ]);
  return { status: 204, headers, body: "" };
}

/** Replaces the CORS headers of a function's response by those of the gateway. */
export function withCors(cors: Cors, request: HttpRequest, answer: HttpAnswer): HttpAnswer {
  const kept = answer.headers.filter(([name]) => !name.startsWith("access-control-"));
  const own = ifAllowed(cors, request, [["access-control-expose-headers", cors.exposeHeaders.join(",")]]);
  return { ...answer, headers: [...kept, ...own] };
}

/** Returns no headers for an origin that is not allowed, so that the browser refuses. */
function ifAllowed({ allowOrigins }: Cors, request: HttpRequest, headers: readonly Header[]): Header[] {
  const origin = headerOf(request, "origin");
  const allowed = allowOrigins.includes("*") ? "*" : origin;
  if (origin === undefined || allowed === undefined || !allowOrigins.some((pattern) => matches(pattern, origin)))
    return [];
  return [["access-control-allow-origin", allowed], ...headers.filter(([, value]) => value !== "")];
}

function matches(pattern: string, origin: string): boolean {
  if (pattern.endsWith(":*")) return /^\d+$/.test(after(pattern.slice(0, -1), origin));
  return pattern.endsWith("*") ? after(pattern.slice(0, -1), origin) !== "" : origin === pattern;
}

const after = (prefix: string, origin: string): string =>
  origin.startsWith(prefix) ? origin.slice(prefix.length) : "";
