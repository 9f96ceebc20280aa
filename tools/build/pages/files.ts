import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "esbuild";
import { problemsPage } from "./problems-page.ts";
import { referenceScript } from "./reference-script.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => readFile(join(root, path), "utf8");

const sources = ["openapi.json", "site/reference/index.html", "site/reference/reference.js"].map((path) =>
  join(root, path),
);

/** What functions import as `document:<name>`, made when they are bundled. */
const files: Readonly<Record<string, () => Promise<string>>> = {
  "openapi.json": () => read("openapi.json"),
  "reference.html": () => read("site/reference/index.html"),
  "reference.js": async () => `${await referenceScript()}\n${await read("site/reference/reference.js")}`,
  "problems.html": async () => problemsPage(),
};

/**
 * The styles that a page may have, as its Content-Security-Policy names them: those that it holds, by their hashes. The
 * reference's library writes style elements of its own, which only `'unsafe-inline'` lets it.
 */
function stylesOf(path: string, content: string): string {
  if (!path.endsWith(".html")) return "'none'";
  if (path === "reference.html") return "'unsafe-inline'";
  const hashes = Array.from(content.matchAll(/<style>(.*?)<\/style>/gs), ([, style = ""]) =>
    createHash("sha256").update(style).digest("base64"),
  );
  return hashes.map((hash) => `'sha256-${hash}'`).join(" ") || "'none'";
}

export const documents: Plugin = {
  name: "documents",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^document:/ }, ({ path }) => ({
      path: path.slice("document:".length),
      namespace: "document",
    }));
    esbuild.onLoad({ filter: /./, namespace: "document" }, async ({ path }) => {
      const make = files[path];
      if (!make) return { errors: [{ text: `There is no document ${path}` }] };
      const content = await make();
      const etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
      const gzipped = gzipSync(content, { level: 9 }).toString("base64");
      return {
        contents: JSON.stringify({ gzipped, etag, styles: stylesOf(path, content) }),
        loader: "json",
        watchFiles: sources,
      };
    });
  },
};
