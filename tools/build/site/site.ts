import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hashed } from "../../../site/headers.ts";
import { write } from "../write.ts";
import { clubFiles } from "./club.ts";
import { consoleFiles } from "./console.ts";
import { problemsMarkdown, problemsPage } from "./problems-page.ts";
import { referenceScript } from "./reference-script.ts";
import { textMarkdown, textPage } from "./text-pages.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Scripts and styles by their names in pages, such as `/assets/reference.js`. */
const assets: Readonly<Record<string, () => string | Promise<string>>> = {
  "reference.js": async () => `${await referenceScript()}\n${read("site/reference/reference.js")}`,
  "reference.css": () => read("site/reference/reference.css"),
  "documents.css": () => read("site/documents.css"),
  "explore.js": () => read("site/explore/explore.js"),
  "explore.css": () => read("site/explore/explore.css"),
};

/** Pages by path. */
const pages: Readonly<Record<string, () => string>> = {
  "/docs": () => read("site/reference/index.html"),
  "/docs/guide": () => textPage("/docs/guide"),
  "/docs/api": () => textPage("/docs/api"),
  "/docs/problems": problemsPage,
  "/explore": () => read("site/explore/index.html"),
  "/console": () => read("site/console/index.html"),
};

/** Documents as Markdown, by file. */
const texts: Readonly<Record<string, () => string>> = {
  "docs/guide.md": () => textMarkdown("/docs/guide"),
  "docs/api.md": () => textMarkdown("/docs/api"),
  "docs/problems.md": problemsMarkdown,
};

/**
 * Writes the static site to `site` in the build folder, as it is deployed. The page `/docs` is `docs/index.html`. Names
 * of scripts and styles in `assets` contain a hash of their contents.
 *
 * @throws Error if a page refers to an asset that does not exist
 */
export async function buildSite(outdir = "dist"): Promise<void> {
  const files = new Map<string, string>([
    ["openapi.json", JSON.stringify(JSON.parse(read("openapi.json")))],
    ["llms.txt", read("site/llms.txt")],
    ...(await clubFiles()).files,
    ...Object.entries(texts).map(([path, make]) => [path, make()] as const),
  ]);
  files.set("llms-full.txt", ["llms.txt", ...Object.keys(texts)].map((path) => files.get(path)).join("\n"));
  const bundled = await consoleFiles();
  for (const [path, contents] of bundled.files) files.set(path, contents);
  const names = new Map<string, string>(bundled.names);
  for (const [name, make] of Object.entries(assets)) {
    const contents = await make();
    const path = `${hashed}/${name.replace(".", `-${hashOf(contents)}.`)}`;
    names.set(`/${hashed}/${name}`, `/${path}`);
    files.set(path, contents);
  }
  const nameOf = (reference: string): string => {
    const name = names.get(reference);
    if (name === undefined) throw new Error(`There is no ${reference}: see tools/build/site/site.ts`);
    return name;
  };
  for (const [path, make] of Object.entries(pages))
    files.set(`${path.slice(1)}/index.html`, make().replaceAll(/(?<=(?:src|href)=")\/assets\/[^"]+/g, nameOf));

  const folder = join(root, outdir, "site");
  for (const [path, contents] of files) write(join(folder, path), Buffer.from(contents));
  for (const path of globSync("**/*.*", { cwd: folder })) if (!files.has(path)) rmSync(join(folder, path));
}

const hashOf = (contents: string): string => createHash("sha256").update(contents).digest("hex").slice(0, 12);
