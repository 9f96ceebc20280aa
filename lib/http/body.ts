import middy from "@middy/core";
import jsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Route } from "../contract/route.ts";
import { Problem } from "../problem.ts";

const maxBytes = 64 * 1024;
const maxRawBytes = 256 * 1024;

/**
 * The body of a request as its route takes it: JSON, its text as it came (to check a signature over it), or undefined.
 *
 * @throws Problem `body_too_large`, `unsupported_media_type`, `malformed_json`
 */
export async function readBody({ body }: Route, event: APIGatewayProxyEventV2, context: Context): Promise<unknown> {
  if (body === undefined) return undefined;
  assertSize(event, body === "raw" ? maxRawBytes : maxBytes);
  return body === "raw" ? textOf(event) : readJson(event, context);
}

/** An absent body counts as `{}`. */
async function readJson(event: APIGatewayProxyEventV2, context: Context): Promise<object> {
  if (!event.body) return {};
  if (!/^application\/json\s*(;|$)/i.test(event.headers["content-type"] ?? ""))
    throw new Problem("unsupported_media_type");
  // The parser replaces the body of the event that it is given.
  const parsed = await parseJson({ ...event }, context).catch((cause: unknown) => {
    throw new Problem("malformed_json", { cause });
  });
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new Problem("malformed_json");
  return parsed;
}

/** The media type is checked above: the parser would also take `application/merge-patch+json`. */
const parseJson = middy<APIGatewayProxyEventV2, unknown>({ timeoutEarlyInMillis: 0 })
  .use(jsonBodyParser({ disableContentTypeCheck: true }))
  .handler(async ({ body }): Promise<unknown> => body);

const textOf = ({ body = "", isBase64Encoded }: APIGatewayProxyEventV2): string =>
  isBase64Encoded ? Buffer.from(body, "base64").toString() : body;

function assertSize({ body = "", isBase64Encoded }: APIGatewayProxyEventV2, most: number): void {
  if (Buffer.byteLength(body, isBase64Encoded ? "base64" : "utf8") > most) throw new Problem("body_too_large");
}
