import { describe, expect, it } from "vitest";
import { markdown, relinked, sectionsOf } from "../../../tools/build/site/markdown.ts";

const links: Readonly<Record<string, string>> = { "routes.md": "/docs" };
const html = (text: string) => markdown(text, (target) => links[target]);

describe("Markdown of the documents as HTML", () => {
  it.each([
    ["a heading", "## Going live, twice", '<h2 id="going-live-twice">Going live, twice</h2>'],
    ["a paragraph of two lines", "One\ntwo.", "<p>One two.</p>"],
    ["two paragraphs", "One.\n\nTwo.", "<p>One.</p>\n<p>Two.</p>"],
    ["characters of HTML", "a < b & c", "<p>a &lt; b &amp; c</p>"],
    ["bold text", "Press **Pay $10**.", "<p>Press <strong>Pay $10</strong>.</p>"],
    ["code with marks in it", "`**a** <b> [c](d)`", "<p><code>**a** &lt;b&gt; [c](d)</code></p>"],
    ["a link to a page of the site", "[all](routes.md)", '<p><a href="/docs">all</a></p>'],
    ["a link to another file", "[source](../lib)", "<p>source</p>"],
    ["a list whose items have two lines", "- one\n  more\n- two", "<ul><li>one more</li><li>two</li></ul>"],
    ["a numbered list", "1. one\n2. two", "<ol><li>one</li><li>two</li></ol>"],
    ["a comment", "<!-- steps -->\nOne.", "<p>One.</p>"],
    [
      "a table",
      "| a | b |\n|---|---|\n| `c` | d |",
      '<div class="table" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>c</code></td><td>d</td></tr></tbody></table></div>',
    ],
    [
      "a block of code with an empty line",
      "```ts\nif (a < b) {\n\n  **c**\n}\n```",
      '<pre tabindex="0"><code>if (a &lt; b) {\n\n  **c**\n}</code></pre>',
    ],
  ])("markdown converts %s", (_, text, expected) => {
    expect(html(text)).toBe(expected);
  });

  it("markdown removes the indentation of code in a list", () => {
    expect(html("- one:\n\n  ```ts\n  if (a)\n    b();\n  ```")).toBe(
      '<ul><li>one:</li></ul>\n<pre tabindex="0"><code>if (a)\n  b();</code></pre>',
    );
  });

  it.each(["> quoted", "![a picture](a.png)", "<b>raw</b>", "#### deep"])(
    "markdown throws for %j, which the documents do not use",
    (text) => {
      expect(() => html(`One.\n\n${text}`)).toThrow("Markdown that the site cannot show");
    },
  );

  it("sectionsOf returns the second-level headings", () => {
    expect(sectionsOf("# A\n\n## B c\n\n### D\n\n## E")).toEqual([
      { id: "b-c", title: "B c" },
      { id: "e", title: "E" },
    ]);
  });
});

it("relinked replaces addresses of links, and changes no code", () => {
  const text = "<!-- part -->\n[all](routes.md), [source](../lib), `[a](b)`\n\n```ts\n[a](b);\n```\n";
  expect(relinked(text, (target) => links[target])).toBe("[all](/docs), source, `[a](b)`\n\n```ts\n[a](b);\n```\n");
});
