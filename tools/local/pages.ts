import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { isKnown } from "#lib/http/etag.ts";
import { type deploymentInfo, deploymentInfoPath } from "../../site/deployment-info.ts";
import { cacheControl, commonHeaders, contentSecurityPolicy, hashed } from "../../site/headers.ts";
import { partsOf } from "./gateway/event.ts";
import { type HttpAnswer, type HttpRequest, headerOf, isForeign } from "./loopback.ts";

/** Responds to requests for files of the site. Undefined for all other requests. */
export type Pages = (request: HttpRequest) => HttpAnswer | undefined;

/** A person whom a page can act as. */
export type Person = { readonly name: string; readonly token: string };

type PagesOptions = {
  readonly people?: () => readonly Person[];
  /** Undefined until the stack is running. */
  readonly deployment?: () => ReturnType<typeof deploymentInfo> | undefined;
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
 * Serves `dist/site` as CloudFront does, with the deployed function that finds files. In addition,
 * `/explore/people.json` has the people whom pages can act as.
 */
export function sitePages({ people = () => [], deployment = () => undefined }: PagesOptions = {}): Pages {
  const source = readFileSync(join(root, "site/viewer-request.js"), "utf8");
  const viewerRequest = runInNewContext(`${source}; handler`) as (event: object) => Viewed;
  return (request) => {
    if (request.method !== "GET") return undefined;
    const { path } = partsOf(request.target);
    if (path === "/explore/people.json") {
      if (isForeign(request)) return { status: 403, headers: [json], body: '{"message":"Forbidden"}' };
      return { status: 200, headers: [json, ["cache-control", "no-store"]], body: JSON.stringify(people()) };
    }
    if (path === deploymentInfoPath) {
      const info = deployment();
      const contents = info && Buffer.from(JSON.stringify(info));
      return contents && serve(request, { path, file: path, contents, signIn: undefined });
    }
    const viewed = viewerRequest({ request: { uri: path } });
    if ("statusCode" in viewed)
      return {
        status: viewed.statusCode,
        headers: Object.entries(viewed.headers).map(([name, { value }]) => [name, value] as const),
        body: "",
      };
    const contents = fileAt(viewed.uri);
    return contents && serve(request, { path, file: viewed.uri, contents, signIn: deployment()?.sign_in_url });
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

/** Reads a file of the site. Not cached, because it can be rebuilt. Undefined if it does not exist. */
function fileAt(path: string): Buffer | undefined {
  if (!/^(?:\/[\w-][\w.-]*)+$/.test(path)) return undefined;
  try {
    return readFileSync(join(root, "dist/site", path));
  } catch {
    return undefined;
  }
}
