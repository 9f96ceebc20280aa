import { gunzipSync } from "node:zlib";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Route } from "../contract/route.ts";
import { logged } from "../log.ts";
import { machine } from "../runtime.ts";
import { isKnown } from "./etag.ts";
import { always, type Reply, requestId } from "./reply.ts";

/** A file that the build has made. Compressed, as a function may answer 6 MB at most. */
export type File = {
  readonly gzipped: string;
  readonly etag: string;
  /** The styles that a page may have, as a Content-Security-Policy names them. */
  readonly styles: string;
};

/** Headers of a page: only our scripts, connections only to us, no referrer, and isolation from other windows. */
const guards = ({ styles }: File) => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
});

/** The handler of a route that `serves` a file. It needs no more than the file, so it carries none of `endpoint`. */
export const fileEndpoint =
  (route: Route & Required<Pick<Route, "serves">>, file: File) => (event: APIGatewayProxyEventV2) =>
    logged({ request_id: event.requestContext.requestId, route: event.routeKey }, machine.now, async () =>
      answer(route, file, event),
    );

function answer({ serves }: Required<Pick<Route, "serves">>, file: File, event: APIGatewayProxyEventV2): Reply {
  const { gzipped, etag } = file;
  const { "if-none-match": ifNoneMatch, "accept-encoding": accepted = "" } = event.headers;
  const headers = {
    ...always,
    ...requestId(event),
    "cache-control": "no-cache",
    ...guards(file),
    etag,
    vary: "Accept-Encoding",
  };
  if (isKnown(ifNoneMatch, etag)) return { statusCode: 304, headers };

  const typed = { ...headers, "content-type": serves === "application/json" ? serves : `${serves}; charset=utf-8` };
  if (takesGzip(accepted))
    return {
      statusCode: 200,
      headers: { ...typed, "content-encoding": "gzip" },
      body: gzipped,
      isBase64Encoded: true,
    };
  return { statusCode: 200, headers: typed, body: gunzipSync(Buffer.from(gzipped, "base64")).toString() };
}

/** RFC 9110, section 12.5.3. */
const takesGzip = (accepted: string): boolean => /(^|,)\s*gzip\s*(,|$|;\s*q=(?!0(\.0*)?\s*(,|$)))/i.test(accepted);
