import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Route } from "../contract/route.ts";
import { Problem } from "../problem.ts";

const maxBytes = 64 * 1024;
const maxRawBytes = 256 * 1024;

/**
 * The body of a request as its route takes it: JSON, its text (to check a signature over it, which fails if the text is
 * not UTF-8), or undefined.
 *
 * @throws Problem `body_too_large`, `unsupported_media_type`, `malformed_json`
 */
export function readBody({ body }: Route, event: APIGatewayProxyEventV2): unknown {
  if (body === undefined) return undefined;
  assertSize(event, body === "raw" ? maxRawBytes : maxBytes);
  return body === "raw" ? bytesOf(event).toString() : readJson(event);
}

/** An absent body counts as `{}`. */
function readJson(event: APIGatewayProxyEventV2): object {
  if (!event.body) return {};
  if (!/^application\/json\s*(;|$)/i.test(event.headers["content-type"] ?? ""))
    throw new Problem("unsupported_media_type");
  const parsed = parse(event);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new Problem("malformed_json");
  return parsed;
}

function parse(event: APIGatewayProxyEventV2): unknown {
  try {
    return JSON.parse(utf8.decode(bytesOf(event)));
  } catch (cause) {
    throw new Problem("malformed_json", { cause });
  }
}

/** Takes nothing but UTF-8, and a byte order mark for a part of the text. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const bytesOf = ({ body = "", isBase64Encoded }: APIGatewayProxyEventV2): Buffer =>
  Buffer.from(body, isBase64Encoded ? "base64" : "utf8");

function assertSize({ body = "", isBase64Encoded }: APIGatewayProxyEventV2, most: number): void {
  if (Buffer.byteLength(body, isBase64Encoded ? "base64" : "utf8") > most) throw new Problem("body_too_large");
}
