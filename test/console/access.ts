import type { Page } from "playwright-core";
import { expect } from "vitest";
import { findings } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { local, open, resumeAdmin } from "./console.ts";
import type { Sight } from "./sights.ts";

/** Variants of a page: desktop and phone, light and dark. */
const forms = [
  { form: "desktop, light", size: { width: 1280, height: 900 }, colorScheme: "light" },
  { form: "desktop, dark", size: { width: 1280, height: 900 }, colorScheme: "dark" },
  { form: "phone, dark", size: { width: 390, height: 844 }, colorScheme: "dark" },
  { form: "phone, light", size: { width: 390, height: 844 }, colorScheme: "light" },
] as const;

/**
 * Faults of the current page: findings of axe-core, and a page that is wider than its window. Each page is shown in two of the
 * variants, which differ in both the size and the colors. Half of the pages are shown in the other two. All of them are
 * also shown with the smallest width.
 */
export async function faults(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const { form, size, colorScheme } of forms.filter((_, at) => at % 2 === name.length % 2)) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await fits(page, `${name}, ${form}`);
    found.push(...(await findings(page)).map((finding) => `${name}, ${form}: ${finding}`));
  }
  await page.setViewportSize(narrowest);
  await fits(page, `${name}, narrow`);
  await page.setViewportSize(forms[0].size);
  return found;
}

/** The width at which WCAG 2.2 asks for content without scrolling sideways (1.4.10). */
const narrowest = { width: 320, height: 640 };

/** Waits until the page is as wide as its window. */
const fits = (page: Page, name: string): Promise<void> =>
  eventually(async () =>
    expect([name, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([name, 0]),
  );

/** Waits until everything on the page is loaded. */
export const settled = (page: Page): Promise<void> =>
  eventually(async () => expect(await page.locator('.skeleton, [aria-busy="true"]').count()).toBe(0));

/** Changes the URL, and marks the current title, so that the new page is recognized by its new title. */
const goTo = `(path) => {
  const pathOf = (hash) => hash.split("?")[0];
  if (pathOf(location.hash) !== pathOf(path)) document.querySelector("h1").dataset.left = "";
  location.hash = path;
}`;

/** Shows a page. Signs in the person first if needed. */
export async function show(page: Page, { who, path, before }: Sight, signedIn: string | undefined): Promise<void> {
  if (who !== signedIn) {
    await page.goto("about:blank");
    await page.goto(local().api_url);
    await page.evaluate("sessionStorage.clear()");
    if (who === "admin") await resumeAdmin(page);
    else await open(page, who, "#/account");
  }
  await before?.(page);
  await page.evaluate(`(${goTo})(${JSON.stringify(path)})`);
  await page.locator("h1:not([data-left])").waitFor();
  await settled(page);
}
