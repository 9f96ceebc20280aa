import { validateHeaderName, validateHeaderValue } from "node:http";
import * as v from "valibot";
import type { Header, HttpAnswer } from "../loopback.ts";

const Structured = v.object({
  statusCode: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
  headers: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
  cookies: v.optional(v.array(v.string()), []),
  body: v.optional(v.string(), ""),
  isBase64Encoded: v.optional(v.boolean(), false),
});

/**
 * Converts a function's result in payload format 2.0 to a response. A result without a status code becomes a 200 with
 * the result as JSON, or as it is if it is a string.
 *
 * @throws Error for a result with a status code that is not a valid response
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export function toAnswer(result: unknown): HttpAnswer {
  if (!(typeof result === "object" && result !== null && "statusCode" in result))
    return { status: 200, headers: [json], body: typeof result === "string" ? result : JSON.stringify(result ?? null) };

  const { statusCode, headers, cookies, body, isBase64Encoded } = v.parse(Structured, result);
  const ownHeaders: Header[] = Object.entries(headers)
    .map(([name, value]): Header => [nameOf(name.toLowerCase()), String(value)])
    .filter(([name]) => name !== "content-length");
  for (const [name, value] of ownHeaders) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  const isTyped = body === "" || ownHeaders.some(([name]) => name === "content-type");
  return {
    status: statusCode,
    headers: [
      ...ownHeaders,
      ...(isTyped ? [] : [["content-type", "text/plain; charset=utf-8"] as const]),
      ...cookies.map((cookie): Header => ["set-cookie", cookie]),
    ],
    body: isBase64Encoded ? Buffer.from(body, "base64") : body,
  };
}

/** The gateway renames a header that would make browsers ask for a password: https://github.com/modelix/modelix.core/pull/1658. */
const nameOf = (name: string): string => (name === "www-authenticate" ? "x-amzn-remapped-www-authenticate" : name);

/** A response of the gateway itself. */
export const message = (status: number, text: string): HttpAnswer => ({
  status,
  headers: [json],
  body: JSON.stringify({ message: text }),
});

const json: Header = ["content-type", "application/json"];
