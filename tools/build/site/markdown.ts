/** Returns the address on the site of a link in a document. Undefined if there is none. */
export type LinkTarget = (target: string) => string | undefined;

/**
 * Converts the parts of Markdown that the guide uses to HTML: headings, paragraphs, lists, tables, code, bold text and
 * links. Omits comments. Headings get the same ids as on GitHub.
 *
 * @param linkTarget returns the address of a link, or undefined to show only its text
 * @throws Error for other parts of Markdown
 */
export function markdown(text: string, linkTarget: LinkTarget): string {
  const blocks = text
    .replaceAll(/<!--.*?-->\n?/gs, "")
    .split(/(^```.*?^```$)/ms)
    .flatMap((part) => (part.startsWith("```") ? [part] : part.split(/\n{2,}/)))
    .map((block) => block.trim())
    .filter((block) => block !== "");
  return blocks.map((block) => blockOf(block, linkTarget)).join("\n");
}

/** The second-level headings with their ids. */
export const sectionsOf = (text: string): { readonly id: string; readonly title: string }[] =>
  Array.from(text.matchAll(/^## (.+)$/gm), ([, title = ""]) => ({ id: idOf(title), title }));

function blockOf(block: string, linkTarget: LinkTarget): string {
  const inline = (text: string) => inlineOf(text.replaceAll(/\s*\n\s*/g, " "), linkTarget);
  const code = /^```\w*\n(.*?)\n?```$/s.exec(block)?.[1];
  // A focusable block can be scrolled with the keyboard.
  if (code !== undefined) return `<pre tabindex="0"><code>${escaped(code)}</code></pre>`;

  const [, marks, title] = /^(#{1,3}) (.+)$/.exec(block) ?? [];
  if (marks !== undefined && title !== undefined)
    return `<h${marks.length} id="${idOf(title)}">${inline(title)}</h${marks.length}>`;

  if (block.startsWith("|")) return tableOf(block, inline);
  if (/^[-*] /.test(block)) return `<ul>${itemsOf(block, /^[-*] /m, inline)}</ul>`;
  if (block.startsWith("1. ")) return `<ol>${itemsOf(block, /^\d+\. /m, inline)}</ol>`;
  if (/^(?:[>#]|!\[|<|\d+\.)/.test(block)) throw new Error(`Markdown that the site cannot show: ${block.slice(0, 60)}`);
  return `<p>${inline(block)}</p>`;
}

const itemsOf = (block: string, mark: RegExp, inline: (text: string) => string): string =>
  block
    .split(mark)
    .slice(1)
    .map((item) => `<li>${inline(item.trim())}</li>`)
    .join("");

function tableOf(block: string, inline: (text: string) => string): string {
  const [head = [], , ...rows] = block.split("\n").map((line) => line.split("|").slice(1, -1));
  const rowOf = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell.trim())}</${tag}>`).join("")}</tr>`;
  return `<div class="table" tabindex="0"><table><thead>${rowOf(head, "th")}</thead><tbody>${rows
    .map((row) => rowOf(row, "td"))
    .join("")}</tbody></table></div>`;
}

function inlineOf(text: string, linkTarget: LinkTarget): string {
  const parts = text.split(/(`[^`]+`)/);
  return parts
    .map((part) => {
      if (part.startsWith("`")) return `<code>${escaped(part.slice(1, -1))}</code>`;
      return escaped(part)
        .replaceAll(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
        .replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (_, label: string, target: string) => {
          const address = linkTarget(target);
          return address === undefined ? label : `<a href="${address}">${label}</a>`;
        });
    })
    .join("");
}

/** Escapes text for HTML. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The id that GitHub gives a heading. */
const idOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
