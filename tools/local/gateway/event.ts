import { isUtf8 } from "node:buffer";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { type HttpRequest, headerOf } from "../loopback.ts";
import type { Match, RouteKey } from "./match.ts";

/** Headers of a single connection, which the gateway removes. */
const connectionHeaders = "connection keep-alive proxy-connection te trailer transfer-encoding upgrade".split(" ");

/**
 * Creates the event of an HTTP API for a function, payload format 2.0. Despite its name, `rawPath` is percent-decoded.
 * `rawQueryString` is not (https://github.com/honojs/hono/issues/2156,
 * https://github.com/ministackorg/ministack/issues/1035).
 *
 * @throws URIError for a malformed path
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export function toEvent(
  request: HttpRequest,
  { route, params }: Match<RouteKey>,
  { requestId, at }: { readonly requestId: string; readonly at: Date },
): APIGatewayProxyEventV2 {
  const { path, query } = partsOf(request.target);
  const rawPath = decodeURIComponent(path);
  const body = request.body ?? Buffer.alloc(0);
  const isBase64Encoded = body.length > 0 && !(isText(headerOf(request, "content-type")) && isUtf8(body));
  const host = hostOf(request);
  const cookies = request.headers
    .filter(([name]) => name.toLowerCase() === "cookie")
    .flatMap(([, value]) => value.split(";").map((cookie) => cookie.trim()));

  return {
    version: "2.0",
    routeKey: route.key,
    rawPath,
    rawQueryString: query,
    ...(cookies.length > 0 && { cookies }),
    headers: headersOf(request, body.length),
    ...(query && { queryStringParameters: joined(new URLSearchParams(query)) }),
    requestContext: {
      accountId: "000000000000",
      apiId: "local",
      domainName: host.name,
      domainPrefix: host.name.split(".")[0] ?? "",
      http: {
        method: request.method,
        path: rawPath,
        protocol: request.protocol,
        sourceIp: request.sourceIp,
        userAgent: headerOf(request, "user-agent") ?? "",
      },
      requestId,
      routeKey: route.key,
      stage: "$default",
      time: clf(at),
      timeEpoch: at.getTime(),
    },
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? "base64" : "utf8") }),
    ...(Object.keys(params).length > 0 && { pathParameters: { ...params } }),
    isBase64Encoded,
  };
}

/** Splits a request target at its question mark. */
export function partsOf(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf("?");
  return mark < 0 ? { path: target, query: "" } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

const textTypes = ["application/javascript", "application/json", "application/xml"];

/**
 * Whether a function receives a body as text. Other bodies are base64. AWS documents no list. Measurements of others on
 * HTTP APIs found text for `text/*` and three types of `application`, and base64 for forms, `+json` types, other
 * charsets and bodies without a type. `charset=utf-8` made no difference for text/plain and application/json. Bodies
 * that are not UTF-8 are base64 here, because text would lose data.
 *
 * @see https://github.com/ministackorg/ministack/pull/766
 * @see https://github.com/floci-io/floci/pull/2203
 */
function isText(contentType = ""): boolean {
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  const isTextType = type.startsWith("text/") || textTypes.includes(type.trim());
  return isTextType && parameters.every((parameter) => parameter.trim() === "charset=utf-8");
}

/**
 * Headers with lower-case names. Repeated headers are joined with commas. Cookies are a separate property of the event.
 */
function headersOf(request: HttpRequest, contentLength: number): Record<string, string> {
  const { port } = hostOf(request);
  const own: Record<string, string> = {
    "content-length": String(contentLength),
    "x-forwarded-for": [headerOf(request, "x-forwarded-for"), request.sourceIp].filter(Boolean).join(", "),
    "x-forwarded-port": port,
    "x-forwarded-proto": "http",
  };
  const names = request.headers.map(([name]) => name.toLowerCase()).filter((name) => !Object.hasOwn(own, name));
  const sent = names
    .filter((name) => name !== "cookie" && !connectionHeaders.includes(name))
    .map((name) => [name, headerOf(request, name) ?? ""] as const);
  return { ...Object.fromEntries(sent), ...own };
}

function hostOf(request: HttpRequest): { readonly name: string; readonly port: string } {
  const [, name = "", port = "80"] = /^(.*?)(?::(\d+))?$/.exec(headerOf(request, "host") ?? "") ?? [];
  return { name, port };
}

function joined(parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join(",")]));
}

/** Formats a time in the common log format: `12/Mar/2020:19:03:58 +0000`. */
function clf(at: Date): string {
  const [, day, month, year, time] = at.toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
}
