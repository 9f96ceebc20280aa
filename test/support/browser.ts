import axe, { type AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { launch } from "./chromium.ts";

/**
 * A new page for each test. A test fails if its page logs unexpected errors, or sends requests to other machines.
 *
 * @param expected errors that are expected
 * @param start starts the browser, or connects to a running one
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
    // A response that a test answers itself may still be on its way.
    await page?.unrouteAll({ behavior: "ignoreErrors" });
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

/** Tags of accessibility rules. Some rules of WCAG 2.2 are disabled in axe-core by default. */
const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Serious findings of axe-core: each rule with the elements that violate it. */
export const barriers = (page: Page): Promise<string[]> => findings(page, ["serious", "critical"]);

/** Findings of axe-core with the given impacts or any, including best practices. */
export async function findings(page: Page, impacts?: readonly string[]): Promise<string[]> {
  // Evaluated by the debugger, to which the content security policy does not apply.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const run = `axe.run({ runOnly: ${JSON.stringify(standards)}, resultTypes: ["violations"] }).then(JSON.stringify)`;
  const { violations } = JSON.parse(await page.evaluate<string>(run)) as Pick<AxeResults, "violations">;
  return violations
    .filter(({ impact }) => impacts === undefined || impacts.includes(impact ?? ""))
    .flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target.join(" ")} ${html}`));
}
