import { readFileSync } from "node:fs";
import { join } from "node:path";
import { partsOf } from "./gateway/event.ts";
import { type HttpAnswer, type HttpRequest, isForeign } from "./loopback.ts";

/** Answers what is no route of the API but a page of the local stack; undefined for all else. */
export type Pages = (request: HttpRequest) => HttpAnswer | undefined;

/** Somebody whom a page can act as. */
export type Person = { readonly name: string; readonly token: string };

const files: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/explore": ["index.html", "text/html"],
  "/explore/explore.css": ["explore.css", "text/css"],
  "/explore/explore.js": ["explore.js", "text/javascript"],
};

/** The page that explores communities as any of these people, at `/explore`. */
export const explorePages =
  (people: () => readonly Person[]): Pages =>
  (request) => {
    if (request.method !== "GET") return undefined;
    const { path } = partsOf(request.target);
    if (path === "/explore/people.json") {
      if (isForeign(request)) return { ...answer("application/json", '{"message":"Forbidden"}'), status: 403 };
      return answer("application/json", JSON.stringify(people()));
    }
    if (!Object.hasOwn(files, path)) return undefined;
    const [file = "", type = ""] = files[path] ?? [];
    return answer(type, readFileSync(join(import.meta.dirname, "../../site/explore", file)));
  };

/** A page runs its own script only, and takes pictures from wherever communities have them. */
const policy = "default-src 'self'; img-src https: http: data:; frame-ancestors 'none'; base-uri 'none'";

const answer = (type: string, body: string | Buffer): HttpAnswer => ({
  status: 200,
  headers: [
    ["content-type", `${type}; charset=utf-8`],
    ["content-security-policy", policy],
    ["cross-origin-opener-policy", "same-origin"],
    ["referrer-policy", "no-referrer"],
    ["x-content-type-options", "nosniff"],
    ["cache-control", "no-store"],
  ],
  body,
});
