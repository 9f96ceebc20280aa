import { isUtf8 } from "node:buffer";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { type HttpRequest, headerOf } from "../loopback.ts";
import type { Match, RouteKey } from "./match.ts";

/** Headers that are about one connection, and so end at the gateway. */
const connectionHeaders = "connection keep-alive proxy-connection te trailer transfer-encoding upgrade".split(" ");

/**
 * The event that an HTTP API gives to a function, payload format 2.0.
 *
 * `rawPath` is percent-decoded, as HTTP APIs hand it over in spite of its name; `rawQueryString` is not
 * (https://github.com/honojs/hono/issues/2156, https://github.com/ministackorg/ministack/issues/1035).
 *
 * @throws URIError for a path that is not well-formed
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

/** A request target cut at its question mark. */
export function partsOf(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf("?");
  return mark < 0 ? { path: target, query: "" } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

const textTypes = ["application/javascript", "application/json", "application/xml"];

/**
 * Whether a body reaches the function as text; any other is base64. AWS documents no list, so this is what others
 * measured on HTTP APIs: `text/*` and three types of `application`. Forms, `+json` types, other charsets and bodies
 * without a type are base64. So is here what is not UTF-8, about which nothing is known, as text would lose it.
 * That `charset=utf-8` changes nothing was measured on text/plain and application/json.
 *
 * @see https://github.com/ministackorg/ministack/pull/766
 * @see https://github.com/floci-io/floci/pull/2203
 */
function isText(contentType = ""): boolean {
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  const isTextType = type.startsWith("text/") || textTypes.includes(type.trim());
  return isTextType && parameters.every((parameter) => parameter.trim() === "charset=utf-8");
}

/** Names in lower case, repeats joined with commas; cookies have a place of their own. */
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

/** The common log format's time: `12/Mar/2020:19:03:58 +0000`. */
function clf(at: Date): string {
  const [, day, month, year, time] = at.toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
}
