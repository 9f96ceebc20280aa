import { readFileSync } from "node:fs";
import { join } from "node:path";
import { documentPage } from "./document.ts";
import { type LinkTarget, markdown, relinked, sectionsOf } from "./markdown.ts";

const docs = join(import.meta.dirname, "../../../docs");

type TextPath = "/docs/guide" | "/docs/api";

/** The documents of the repository that are pages of the site, by path of the page. */
const files: Readonly<Record<TextPath, string>> = { "/docs/guide": "guide.md", "/docs/api": "api.md" };

/** Addresses on the site of what the documents link to. */
const addresses: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(files).map(([path, file]) => [file, path])),
  "routes.md": "/docs",
  "../openapi.json": "/openapi.json",
  "http://127.0.0.1:3000/docs/problems": "/docs/problems",
};

/** A document as a page. Links to other files of the repository become text. */
export function textPage(path: TextPath): string {
  const { title, lead, main } = partsOf(path);
  const contents = sectionsOf(main).map((section) => `<li><a href="#${section.id}">${section.title}</a></li>`);
  // The page has contents of its own.
  const withoutContents = lead.replaceAll(/^\d+\. \[.*\n/gm, "");
  return documentPage({
    title,
    path,
    lead: markdown(withoutContents, addressOf),
    main: `
      <nav aria-label="Contents">
        <ul class="contents">${contents.join("")}</ul>
      </nav>
      <div class="text">${markdown(main, addressOf)}</div>`,
  });
}

/** A document as Markdown. Its links lead to the Markdown of other documents, also from another file. */
export function textMarkdown(path: TextPath): string {
  return relinked(read(path), (target) => {
    const address = addressOf(target.startsWith("#") ? `${files[path]}${target}` : target);
    return address?.replace(/^\/docs\/\w+/, "$&.md");
  });
}

const read = (path: TextPath): string => readFileSync(join(docs, files[path]), "utf8");

function partsOf(path: TextPath) {
  const [, title = "", lead = "", main = ""] = /^# (.+?)\n(.*?)(?=^## )(.*)$/ms.exec(read(path)) ?? [];
  return { title, lead, main };
}

const addressOf: LinkTarget = (target) => {
  if (target === "api.md#errors") return "/docs/problems";
  const [file = "", anchor] = target.split("#");
  const address = file === "" || file.startsWith("https://") ? file : addresses[file];
  return anchor === undefined ? address : address === undefined ? undefined : `${address}#${anchor}`;
};
