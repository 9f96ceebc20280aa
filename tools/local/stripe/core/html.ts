/** Escaped HTML. */
export type Html = { readonly html: string };

type Part = string | number | null | undefined | Html | readonly Html[];

/** A template whose values are escaped, unless they are HTML already. */
export const html = (strings: TemplateStringsArray, ...values: Part[]): Html => ({
  html: strings.map((text, n) => text + rendered(values[n])).join(""),
});

function rendered(value: Part): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") return "html" in value ? value.html : value.map((part) => part.html).join("");
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const style = `body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
label{display:block;margin:.6rem 0 .2rem}input,select{font:inherit;width:100%;box-sizing:border-box;padding:.4rem;border:1px solid #767676}
button{font:inherit;margin:1rem .5rem 0 0;padding:.5rem 1rem;border:1px solid #1a1a1a;background:#fff;color:#1a1a1a;cursor:pointer}
button.main{background:#1a1a1a;color:#fff}.stand-in{border:2px dashed #8a4b00;color:#8a4b00;padding:.5rem}.alert{border:2px solid #a80000;color:#a80000;padding:.5rem}
:focus-visible{outline:3px solid #0050b3;outline-offset:2px}`;

/** A page, with a notice that it belongs to a stand-in. */
export const document = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ html: style }}</style>
</head>
<body>
<p class="stand-in">Local stand-in for Stripe: no money moves.</p>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.html;
