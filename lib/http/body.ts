import { isUtf8 } from "node:buffer";
import type middy from "@middy/core";
import jsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Route } from "../contract/route.ts";
import { Problem } from "../problem.ts";

const maxBytes = 64 * 1024;
const maxRawBytes = 256 * 1024;

/** The context of a request, with the body that the pipeline adds. */
export type RequestContext = Context & {
  /**
   * The body in the form of the route: parsed JSON, text (for a signature check, which fails if the text is not UTF-8), or
   * undefined.
   *
   * @throws Problem `body_too_large`, `unsupported_media_type`, `malformed_json`
   */
  readonly body: () => unknown;
};

/** The context before the body has been read. */
export const unread = { body: (): unknown => undefined };

type Request = middy.Request<APIGatewayProxyEventV2, unknown, Error, RequestContext>;

/**
 * Reads the body of a request. Errors are thrown only when the body is used, because other checks come first
 * (`docs/api.md`, section 1).
 */
export const bodyOf = (route: Route) => ({
  before(request: Request): void {
    let read: () => unknown;
    try {
      const body = readBody(route, request);
      read = () => body;
    } catch (error) {
      read = () => {
        throw error;
      };
    }
    Object.assign(request.context, { body: read });
  },
});

function readBody({ body }: Route, request: Request): unknown {
  const { event } = request;
  if (body === undefined) return undefined;
  assertSize(event, body === "raw" ? maxRawBytes : maxBytes);
  return body === "raw" ? bytesOf(event).toString() : readJson(request);
}

const parser = jsonBodyParser();

/** An absent body counts as `{}`. */
function readJson(request: Request): object {
  const { event } = request;
  if (!event.body) return {};
  // The parser would also accept the media types of patches.
  if (!/^application\/json\s*(;|$)/i.test(event.headers["content-type"] ?? ""))
    throw new Problem("unsupported_media_type");
  if (!isUtf8(bytesOf(event))) throw new Problem("malformed_json");
  const parsed = parse(request);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new Problem("malformed_json");
  return parsed;
}

function parse(request: Request): unknown {
  const { event } = request;
  // Parses a copy, because the fingerprint of the request needs the original text of the body.
  const copy = { ...request, event: { ...event } };
  try {
    void parser.before?.(copy);
    return copy.event.body;
  } catch (cause) {
    if ((cause as Error).message !== forbiddenKey) throw new Problem("malformed_json", { cause });
    // Validation reports the key with its pointer (`structure.ts`).
    return JSON.parse(bytesOf(event).toString());
  }
}

/** The parser's error for `__proto__`, and for a `constructor` with a `prototype`. */
const forbiddenKey = "Forbidden key in JSON body";

const bytesOf = ({ body = "", isBase64Encoded }: APIGatewayProxyEventV2): Buffer =>
  Buffer.from(body, isBase64Encoded ? "base64" : "utf8");

function assertSize({ body = "", isBase64Encoded }: APIGatewayProxyEventV2, most: number): void {
  if (Buffer.byteLength(body, isBase64Encoded ? "base64" : "utf8") > most) throw new Problem("body_too_large");
}
