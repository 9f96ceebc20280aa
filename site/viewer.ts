import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contentSecurityPolicy, pagesWithPolicy } from "./headers.ts";

/**
 * The code of the function that CloudFront calls with requests for files of the site, and with responses to them.
 *
 * @param signIn origin of the user pool, which may be known only at deployment
 */
export function viewerCode(signIn?: string): string {
  const policies = Object.fromEntries(
    ["", ...pagesWithPolicy].map((path) => [path, contentSecurityPolicy(path, signIn)]),
  );
  const code = readFileSync(join(import.meta.dirname, "viewer.js"), "utf8");
  return `const policies = ${JSON.stringify(policies)};\n${code}`;
}
