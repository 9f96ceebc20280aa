/** Returns the address on the site of a link in a document. Undefined if there is none. */
export type LinkTarget = (target: string) => string | undefined;

const comment = /<!--.*?-->\n?/gs;
const codeBlock = /^ *```.*?^ *```$/.source;
const codeBlocks = new RegExp(`(${codeBlock})`, "ms");
const anyCode = new RegExp(`(${codeBlock}|\`[^\`]+\`)`, "ms");
const link = /\[([^\]]+)\]\(([^)]+)\)/g;

/**
 * Converts the parts of Markdown that the documents use to HTML: headings, paragraphs, lists, tables, code, bold text and
 * links. Omits comments. Headings get the same ids as on GitHub.
 *
 * @param linkTarget returns the address of a link, or undefined to show only its text
 * @throws Error for other parts of Markdown
 */
export function markdown(text: string, linkTarget: LinkTarget): string {
  const blocks = text
    .replaceAll(comment, "")
    .split(codeBlocks)
    .flatMap((part, n) => (n % 2 === 1 ? [unindented(part)] : part.split(/\n{2,}/)))
    .map((block) => block.trim())
    .filter((block) => block !== "");
  return blocks.map((block) => blockOf(block, linkTarget)).join("\n");
}

/** Markdown with other addresses of its links, and without comments. A link without an address becomes its text. */
export const relinked = (text: string, linkTarget: LinkTarget): string =>
  text
    .replaceAll(comment, "")
    .split(anyCode)
    .map((part, n) => (n % 2 === 1 ? part : part.replaceAll(link, relink(linkTarget))))
    .join("");

const relink = (linkTarget: LinkTarget) => (_: string, label: string, target: string) => {
  const address = linkTarget(target);
  return address === undefined ? label : `[${label}](${address})`;
};

/** Code of a list item, without the item's indentation. */
const unindented = (block: string): string => block.replaceAll(new RegExp(`^${/^ */.exec(block)?.[0]}`, "gm"), "");

/** The second-level headings with their ids. */
export const sectionsOf = (text: string): { readonly id: string; readonly title: string }[] =>
  Array.from(text.matchAll(/^## (.+)$/gm), ([, title = ""]) => ({ id: idOf(title), title }));

function blockOf(block: string, linkTarget: LinkTarget): string {
  const inline = (text: string) => inlineOf(text.replaceAll(/\s*\n\s*/g, " "), linkTarget);
  const lines = /^```\w*\n(.*?)\n?```$/s.exec(block)?.[1];
  // A focusable block can be scrolled with the keyboard.
  if (lines !== undefined) return `<pre tabindex="0"><code>${escaped(lines)}</code></pre>`;

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
  const cellOf = (text: string, tag: string) => `<${tag}>${inline(text)}</${tag}>`;
  // A header must not be empty.
  const rowOf = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => cellOf(cell.trim(), cell.trim() === "" ? "td" : tag)).join("")}</tr>`;
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
        .replaceAll(link, (_, label: string, target: string) => {
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
export const idOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
