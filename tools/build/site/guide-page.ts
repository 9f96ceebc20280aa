import { readFileSync } from "node:fs";
import { join } from "node:path";
import { documentPage } from "./document.ts";
import { markdown, sectionsOf } from "./markdown.ts";

/** Pages of the site with the content of a document in the repository. */
const pages: Readonly<Record<string, string>> = { "routes.md": "/docs", "api.md#errors": "/docs/problems" };

/** `docs/guide.md` as a page. Links to other files of the repository become text. */
export function guidePage(): string {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/guide.md"), "utf8");
  const [, lead = "", rest = ""] = /^# Guide\n(.*?)(?=^## )(.*)$/ms.exec(text) ?? [];
  const linkTarget = (target: string) => (target.startsWith("#") ? target : pages[target]);
  const contents = sectionsOf(text).map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`);
  return documentPage({
    title: "Guide",
    path: "/docs/guide",
    lead: markdown(lead, linkTarget),
    main: `
      <nav aria-label="Contents">
        <ul class="contents">${contents.join("")}</ul>
      </nav>
      <div class="text">${markdown(rest, linkTarget)}</div>`,
  });
}
