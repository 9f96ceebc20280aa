import { problemsOf, routes } from "#lib/contract/index.ts";
import { problems } from "#lib/problem.ts";
import { issueTexts, problemTexts } from "../openapi/problem-texts.ts";

/** The page that the `type` of a problem links to, with a section for each code. */
export function problemsPage(): string {
  const sections = problems.map(({ code, status, title }) => {
    const { happened, todo } = problemTexts[code];
    return `
      <section id="${code}">
        <h2><a href="#${code}"><code>${code}</code></a> <span class="status">${status}</span></h2>
        <p class="title">${html(title)}.</p>
        <h3>What happened</h3>
        <p>${html(happened)}</p>
        <h3>What to do</h3>
        <p>${html(todo)}</p>${givenBy(code)}
      </section>`;
  });
  return page(contents() + sections.join("") + fieldCodes());
}

/** Links to all sections. */
function contents(): string {
  const codes = problems.map(({ code }) => `<li><a href="#${code}"><code>${code}</code></a></li>`);
  return `
      <nav aria-label="Contents">
        <ul class="contents">
          ${[...codes, '<li><a href="#errors"><code>errors[].code</code></a></li>'].join("\n          ")}
        </ul>
      </nav>`;
}

/** A list of the codes of single fields. */
function fieldCodes(): string {
  const terms = Object.entries(issueTexts).map(
    ([code, text]) => `
          <dt id="errors-${code}"><code>${code}</code></dt>
          <dd>${html(text)}</dd>`,
  );
  return `
      <section id="errors">
        <h2><a href="#errors"><code>errors[].code</code></a></h2>
        <p>Each entry of <code>errors</code> is about one field or query parameter. Its <code>code</code> is one of these.
          Those after <code>foreign_origin</code> occur only in the outcomes of an import.</p>
        <dl>${terms.join("")}
        </dl>
      </section>`;
}

/** The routes that return a problem, if there are at most eight. */
function givenBy(code: (typeof problems)[number]["code"]): string {
  const of = routes.filter((route) => route.path !== "$default" && problemsOf(route).has(code));
  if (of.length === 0 || of.length > 8) return "";
  return `
        <h3>Routes</h3>
        <ul>${of.map(({ key }) => `<li><code>${html(key)}</code></li>`).join("")}</ul>`;
}

/** Text as HTML. Text in backticks becomes code. */
const html = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>");

const page = (sections: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Problems · Odis</title>
    <link rel="icon" href="data:,">
    <style>
      :root { color-scheme: light dark; --accent: light-dark(#7a3b10, #f0b285); --line: light-dark(#d9d2cb, #4a423c); }
      body { max-width: 46rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif;
        background: light-dark(#fff, #17120e); color: light-dark(#1c1611, #f3ece6); }
      a { color: var(--accent); }
      :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
      section { padding: 0.5rem 1rem; border-top: 1px solid var(--line); }
      section:target { border-inline-start: 4px solid var(--accent); }
      h2 { margin: 0.5rem 0 0; font-size: 1.15rem; }
      h2 a { text-decoration: none; }
      h3 { margin: 0.75rem 0 0; font-size: 0.9rem; }
      p, ul { margin: 0.15rem 0; }
      .status { font-weight: normal; }
      .title { font-style: italic; }
      .contents { columns: 16rem; padding: 0.5rem 1rem; list-style: none; }
      code { overflow-wrap: anywhere; }
    </style>
  </head>
  <body>
    <header>
      <nav aria-label="Documents"><a href="/docs">Reference</a> · <a href="/openapi.json">openapi.json</a></nav>
      <h1>Problems</h1>
      <p>Every error is <code>application/problem+json</code> (RFC 9457). Its <code>code</code> is one of these. Its
        <code>request_id</code> identifies the request in the logs.</p>
    </header>
    <main>${sections}
    </main>
  </body>
</html>
`;
