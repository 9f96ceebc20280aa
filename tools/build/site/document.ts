type Document = {
  readonly title: string;
  /** Path of the page. */
  readonly path: string;
  /** HTML below the title. */
  readonly lead: string;
  readonly main: string;
};

/** Documents of the site, in the order of their links. */
const documents = {
  "/docs/guide": "Guide",
  "/docs/api": "Contract",
  "/docs": "Reference",
  "/docs/problems": "Problems",
};

/** A page of text with links to the other documents, and to the same text as Markdown. */
export function documentPage({ title, path, lead, main }: Document): string {
  const links = Object.entries({ ...documents, "/openapi.json": "openapi.json" })
    .filter(([target]) => target !== path)
    .map(([target, name]) => `<a href="${target}">${name}</a>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · Odis</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/assets/documents.css">
    <link rel="alternate" type="text/markdown" href="${path}.md">
  </head>
  <body>
    <header>
      <nav aria-label="Documents">${links.join(" · ")}</nav>
      <h1>${title}</h1>
      ${lead}
    </header>
    <main>${main}
    </main>
  </body>
</html>
`;
}
