import axe, { type AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { launch } from "./chromium.ts";

/**
 * A page of its own for each test. A test fails when its page complains on the console, but for answers that are meant
 * to be refusals, or asks anybody but this machine for anything.
 *
 * @param expected complaints that are meant to be
 * @param start starts the browser, or connects to one that runs
 */
export function useBrowser(expected = /status of 40[134]/, start = launch): { readonly page: Page } {
  let browser: Browser | undefined;
  let page: Page | undefined;
  let complaints: string[];
  beforeAll(async () => {
    browser = await start();
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    complaints = [];
    page = await browser?.newPage({ viewport: { width: 1400, height: 900 } });
    page?.setDefaultTimeout(100_000);
    page?.on("pageerror", ({ message }) => complaints.push(message));
    page?.on("console", (message) => {
      if (message.type() === "error" && !expected.test(message.text())) complaints.push(message.text());
    });
    await page?.route(isElsewhere, (route) => {
      complaints.push(`It asked for ${route.request().url()}`);
      return route.abort();
    });
  });
  afterEach(async () => {
    await page?.close();
    if (complaints.length > 0) throw new Error(`The browser complained: ${complaints.join(", ")}`);
  });

  return {
    get page() {
      if (!page) throw new Error("There is a page only while a test runs");
      return page;
    },
  };
}

const isElsewhere = ({ protocol, hostname }: URL): boolean =>
  protocol !== "data:" && protocol !== "blob:" && hostname !== "127.0.0.1" && hostname !== "localhost";

/** Tags of rules. Some of WCAG 2.2 are off in axe-core unless they are named. */
const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What axe-core finds that shuts people out: each rule with what breaks it. */
export const barriers = (page: Page): Promise<string[]> => findings(page, ["serious", "critical"]);

/** What axe-core finds, best practices included, of the given impacts or of any. */
export async function findings(page: Page, impacts?: readonly string[]): Promise<string[]> {
  // Evaluated by the debugger, which a page's content security policy is not about.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const run = `axe.run({ runOnly: ${JSON.stringify(standards)}, resultTypes: ["violations"] }).then(JSON.stringify)`;
  const { violations } = JSON.parse(await page.evaluate<string>(run)) as Pick<AxeResults, "violations">;
  return violations
    .filter(({ impact }) => impacts === undefined || impacts.includes(impact ?? ""))
    .flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target.join(" ")} ${html}`));
}
