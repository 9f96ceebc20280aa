import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { isKnown } from "#lib/http/etag.ts";
import { type deploymentInfo, deploymentInfoPath } from "../../site/deployment-info.ts";
import { cacheControl, commonHeaders, hashed } from "../../site/headers.ts";
import { viewerCode } from "../../site/viewer.ts";
import { partsOf } from "./gateway/event.ts";
import { type Header, type HttpAnswer, type HttpRequest, headerOf, isForeign } from "./loopback.ts";

/** Responds to GET and HEAD requests for files of the site. Undefined for all other requests. */
export type Pages = (request: HttpRequest) => HttpAnswer | undefined;

/** A person whom a page can act as. */
export type Person = { readonly name: string; readonly token: string };

type PagesOptions = {
  readonly people?: () => readonly Person[];
  /** Undefined until the stack is running. */
  readonly deployment?: () => ReturnType<typeof deploymentInfo> | undefined;
};

/** The function that CloudFront calls with requests, and with responses to them. */
type Viewer = {
  (event: { readonly request: { readonly uri: string } }): Viewed;
  (event: {
    readonly request: { readonly uri: string };
    readonly response: { readonly headers: ViewedHeaders };
  }): {
    readonly headers: ViewedHeaders;
  };
};
type Viewed = { readonly uri: string } | { readonly statusCode: number; readonly headers: ViewedHeaders };
type ViewedHeaders = Readonly<Record<string, { readonly value: string }>>;

const root = join(import.meta.dirname, "../..");
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
};

/**
 * Serves `dist/site` as CloudFront does, with the function that is deployed there. In addition,
 * `/explore/people.json` has the people whom pages can act as.
 */
export function sitePages({ people = () => [], deployment = () => undefined }: PagesOptions = {}): Pages {
  let compiled: { readonly signIn: string | undefined; readonly viewer: Viewer } | undefined;
  const viewerFor = (signIn: string | undefined): Viewer => {
    if (compiled?.signIn !== signIn || !compiled)
      compiled = { signIn, viewer: runInNewContext(`${viewerCode(signIn)}; handler`) as Viewer };
    return compiled.viewer;
  };
  return (request) => {
    if (!["GET", "HEAD"].includes(request.method)) return undefined;
    const { path } = partsOf(request.target);
    if (path === "/explore/people.json") {
      if (isForeign(request)) return { status: 403, headers: [json], body: '{"message":"Forbidden"}' };
      return { status: 200, headers: [json, ["cache-control", "no-store"]], body: JSON.stringify(people()) };
    }
    const info = deployment();
    const viewer = viewerFor(info?.sign_in_url);
    const viewed = viewer({ request: { uri: path } });
    if ("statusCode" in viewed) return { status: viewed.statusCode, headers: listed(viewed.headers), body: "" };
    const file = viewed.uri;
    const contents = path === deploymentInfoPath ? info && Buffer.from(JSON.stringify(info)) : fileAt(file);
    if (!contents) return undefined;
    const type = { "content-type": { value: types[extname(file)] ?? "application/octet-stream" } };
    const { headers } = viewer({ request: viewed, response: { headers: type } });
    return serve(request, { file, contents, headers: listed(headers) });
  };
}

const listed = (headers: ViewedHeaders): Header[] =>
  Object.entries(headers).map(([name, { value }]) => [name, value] as const);

const json = ["content-type", "application/json"] as const;

type SiteFile = {
  readonly file: string;
  readonly contents: Buffer;
  readonly headers: readonly Header[];
};

function serve(request: HttpRequest, { file, contents, headers }: SiteFile): HttpAnswer {
  const etag = `"${createHash("sha256").update(contents).digest("hex").slice(0, 32)}"`;
  const isUnchanged = isKnown(headerOf(request, "if-none-match"), etag);
  return {
    status: isUnchanged ? 304 : 200,
    headers: [
      ...Object.entries(commonHeaders),
      ...headers,
      ["cache-control", file.startsWith(`/${hashed}/`) ? cacheControl.hashed : cacheControl.others],
      ["etag", etag],
    ],
    body: isUnchanged ? "" : contents,
  };
}

/** Reads a file of the site. Not cached, because it can be rebuilt. Undefined if it does not exist. */
function fileAt(path: string): Buffer | undefined {
  if (!/^(?:\/[\w-][\w.-]*)+$/.test(path)) return undefined;
  try {
    return readFileSync(join(root, "dist/site", path));
  } catch {
    return undefined;
  }
}
