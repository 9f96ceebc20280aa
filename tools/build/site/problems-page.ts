import { problemsOf, routes } from "#lib/contract/index.ts";
import { type ProblemCode, problems } from "#lib/problem.ts";
import { issueTexts, problemTexts } from "../openapi/problem-texts.ts";
import { documentPage } from "./document.ts";
import { escaped } from "./markdown.ts";

/** Returns the page that the `type` of a problem links to, with a section per code. */
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
  return documentPage({
    title: "Problems",
    path: "/docs/problems",
    lead: `<p>${html(lead)}</p>`,
    main: contents() + sections.join("") + fieldCodes(),
  });
}

/** Returns the same as Markdown. */
export function problemsMarkdown(): string {
  const sections = problems.map(({ code, status, title }) => {
    const { happened, todo } = problemTexts[code];
    const keys = routesWith(code).map(({ key }) => `- \`${key}\``);
    return [
      `## ${code}`,
      `${status}. ${title}.`,
      `**What happened:** ${happened}`,
      `**What to do:** ${todo}`,
      ...(keys.length > 0 ? [`**Routes:**\n\n${keys.join("\n")}`] : []),
    ].join("\n\n");
  });
  const terms = Object.entries(issueTexts).map(([code, text]) => `- \`${code}\`: ${text}`);
  return `${["# Problems", lead, ...sections, "## errors", aboutErrors, terms.join("\n")].join("\n\n")}\n`;
}

const lead =
  "Every error is `application/problem+json` (RFC 9457). Its `code` is one of these. Its `request_id` identifies the request in the logs.";
const aboutErrors =
  "Each entry of `errors` is about one field or query parameter. Its `code` is one of these. Those after `foreign_origin` occur only in the outcomes of an import.";

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
        <p>${html(aboutErrors)}</p>
        <dl>${terms.join("")}
        </dl>
      </section>`;
}

/** The routes that return a problem, if there are at most eight. */
function routesWith(code: ProblemCode) {
  const returning = routes.filter((route) => route.path !== "$default" && problemsOf(route).has(code));
  return returning.length > 8 ? [] : returning;
}

function givenBy(code: ProblemCode): string {
  const returning = routesWith(code);
  if (returning.length === 0) return "";
  return `
        <h3>Routes</h3>
        <ul>${returning.map(({ key }) => `<li><code>${html(key)}</code></li>`).join("")}</ul>`;
}

/** Escapes text for HTML. Text in backticks becomes code. */
const html = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
