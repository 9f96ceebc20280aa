import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { isKnown } from "#lib/http/etag.ts";
import { cacheControl, commonHeaders, contentSecurityPolicy, hashed } from "../../site/headers.ts";
import { partsOf } from "./gateway/event.ts";
import { type HttpAnswer, type HttpRequest, headerOf, isForeign } from "./loopback.ts";

/** Answers what is no route of the API but a file of the site; undefined for all else. */
export type Pages = (request: HttpRequest) => HttpAnswer | undefined;

/** Somebody whom a page can act as. */
export type Person = { readonly name: string; readonly token: string };

/** Where the console signs people in. */
export type SignInPool = { readonly userPoolId: string; readonly clientId: string; readonly endpoint: string };

type Options = {
  readonly people?: () => readonly Person[];
  /** Undefined until the pool runs. */
  readonly pool?: () => SignInPool | undefined;
};

type Viewed = { readonly uri: string } | { readonly statusCode: number; readonly headers: ViewedHeaders };
type ViewedHeaders = Readonly<Record<string, { readonly value: string }>>;

const root = join(import.meta.dirname, "../..");
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
};

/**
 * The static site as CloudFront serves it: the files of `dist/site`, found by the function that is deployed. Besides them,
 * `/explore/people.json` has the people whom its pages can act as, and `/console/settings.json` the pool.
 */
export function sitePages({ people = () => [], pool = () => undefined }: Options = {}): Pages {
  const source = readFileSync(join(root, "site/viewer-request.js"), "utf8");
  const viewerRequest = runInNewContext(`${source}; handler`) as (event: object) => Viewed;
  return (request) => {
    if (request.method !== "GET") return undefined;
    const { path } = partsOf(request.target);
    if (path === "/explore/people.json") {
      if (isForeign(request)) return { status: 403, headers: [json], body: '{"message":"Forbidden"}' };
      return { status: 200, headers: [json, ["cache-control", "no-store"]], body: JSON.stringify(people()) };
    }
    if (path === "/console/settings.json") {
      const settings = pool();
      return {
        status: settings ? 200 : 404,
        headers: [json, ["cache-control", "no-store"]],
        body: JSON.stringify(settings ?? {}),
      };
    }
    const viewed = viewerRequest({ request: { uri: path } });
    if ("statusCode" in viewed)
      return {
        status: viewed.statusCode,
        headers: Object.entries(viewed.headers).map(([name, { value }]) => [name, value] as const),
        body: "",
      };
    const contents = fileAt(viewed.uri);
    return contents && serve(request, { path, file: viewed.uri, contents, signIn: pool()?.endpoint });
  };
}

const json = ["content-type", "application/json"] as const;

type SiteFile = {
  readonly path: string;
  readonly file: string;
  readonly contents: Buffer;
  readonly signIn: string | undefined;
};

function serve(request: HttpRequest, { path, file, contents, signIn }: SiteFile): HttpAnswer {
  const etag = `"${createHash("sha256").update(contents).digest("hex").slice(0, 32)}"`;
  const isUnchanged = isKnown(headerOf(request, "if-none-match"), etag);
  return {
    status: isUnchanged ? 304 : 200,
    headers: [
      ...Object.entries(commonHeaders),
      ["content-security-policy", contentSecurityPolicy(path, signIn)],
      ["content-type", types[extname(file)] ?? "application/octet-stream"],
      ["cache-control", file.startsWith(`/${hashed}/`) ? cacheControl.hashed : cacheControl.others],
      ["etag", etag],
    ],
    body: isUnchanged ? "" : contents,
  };
}

/** A file of the site, read anew each time, as it may have been built anew; undefined for a path without one. */
function fileAt(path: string): Buffer | undefined {
  if (!/^(?:\/[\w-][\w.-]*)+$/.test(path)) return undefined;
  try {
    return readFileSync(join(root, "dist/site", path));
  } catch {
    return undefined;
  }
}
