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

const style = `:root{color-scheme:light dark;--line:light-dark(#d5dae3,#3b4252);--field:light-dark(#7a8499,#8089a0);--ink:light-dark(#1a1f36,#eef1f7);
--paper:light-dark(#f5f7fa,#12151d);--card:light-dark(#fff,#1b202b);--muted:light-dark(#545d72,#aab3c5);--main:light-dark(#4b45c6,#a9a6ff);--on-main:light-dark(#fff,#14122f);
--note:light-dark(#7a4100,#ffc98a);--bad:light-dark(#a3160f,#ffaaa2);font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
*{box-sizing:border-box}body{max-width:32rem;margin:0 auto;padding:1rem 1rem 4rem}
header{margin:0 0 1.5rem;text-align:center;font-size:.875rem;color:var(--note)}header p{display:inline-block;margin:0;padding:.25rem .875rem;border:1px dashed;border-radius:99rem}
main{padding:clamp(1.25rem,5vw,2.25rem);border:1px solid var(--line);border-radius:1rem;background:var(--card)}
h1{margin:0 0 .5rem;font-size:1.625rem;line-height:1.2}h2{margin:0;font-size:1.125rem}p{margin:.25rem 0 1rem}
ul{margin:.5rem 0 0;padding:0;list-style:none}li{padding:.25rem 0}
section{margin-top:1.5rem;padding-top:1.5rem;border-top:1px solid var(--line)}
fieldset{min-width:0;margin:1.5rem 0 0;padding:0;border:0}legend{padding:0;font-weight:650}
label{display:block;margin:.875rem 0 .25rem;font-size:.9375rem;font-weight:550}
input,select{width:100%;min-height:2.75rem;padding:.4rem .75rem;border:1px solid var(--field);border-radius:.5rem;background:var(--card);color:inherit;font:inherit}
button{width:100%;min-height:2.875rem;margin-top:.75rem;padding:.5rem 1rem;border:1px solid var(--field);border-radius:.5rem;background:none;color:inherit;font:inherit;font-weight:600;cursor:pointer}
button.main{margin-top:1.5rem;border-color:transparent;background:var(--main);color:var(--on-main)}
a{color:var(--main)}main>p:last-child{margin:1.5rem 0 0;text-align:center}
.alert{padding:.75rem 1rem;border:1px solid;border-radius:.5rem;color:var(--bad)}
:focus-visible{outline:3px solid var(--main);outline-offset:2px}`;

/** A page, with a notice that it belongs to a stand-in. */
export const document = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${{ html: style }}</style>
</head>
<body>
<header><p>Local stand-in for Stripe: no money moves.</p></header>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.html;
