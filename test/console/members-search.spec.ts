import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { button, hasConsole, heading, open, useConsole } from "./console.ts";

/** Types into the search as soon as it is in the page, before the effects of the first rendering run. */
const typeAtOnce = `new MutationObserver((_, observer) => {
  const field = document.querySelector('input[type="search"]');
  if (!field) return;
  observer.disconnect();
  field.value = "Kamala";
  field.dispatchEvent(new Event("input", { bubbles: true }));
}).observe(document.body, { childList: true, subtree: true })`;

/** Types into the search, and chooses a status once the effects of that have run. */
const typeAndFilter = `(async () => {
  const field = document.querySelector('input[type="search"]');
  field.value = "Kamala";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
  const status = document.querySelector('option[value="active"]').parentElement;
  status.value = "active";
  status.dispatchEvent(new Event("change", { bubbles: true }));
})()`;

describe.skipIf(!hasConsole)("the search of members in Chromium", () => {
  const browser = useConsole();

  it("“Find a member” on the overview leads to the search, which takes what is typed next", async () => {
    const page = await open(browser.page, "owner", "#/communities/1");
    await page.getByRole("link", { name: "Find a member" }).click();
    await heading(page, "Members").waitFor();
    await page.keyboard.type("Kamala");
    await page.waitForURL(/members\?query=Kamala$/);
    expect(await page.getByLabel("Search").inputValue()).toBe("Kamala");
  });

  it("text that is typed right after the page opens, before its first effects run, is searched for", async () => {
    const page = await open(browser.page, "owner", "#/communities/1");
    await page.evaluate(`void ${typeAtOnce}`);
    await page.evaluate("location.hash = '#/communities/1/members'");
    await page.waitForURL(/members\?query=Kamala$/);
    expect(await page.getByLabel("Search").inputValue()).toBe("Kamala");
  });

  it("a space after the first name stays in the search until the next word is typed", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/members");
    await page.getByLabel("Search").focus();
    await page.keyboard.insertText("Kamala ");
    await page.waitForURL(/members\?query=Kamala$/);
    await page.keyboard.type("Ull");
    await page.waitForURL(/members\?query=Kamala(?:\+|%20)Ull$/);
    expect(await page.getByLabel("Search").inputValue()).toBe("Kamala Ull");
  });

  it("a filter that is chosen right after the last letter is kept by the search for it", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/members");
    await page.getByRole("row").nth(1).waitFor();
    await page.evaluate(typeAndFilter);
    await eventually(() => {
      expect(page.url()).toContain("query=Kamala");
      expect(page.url()).toContain("status=active");
    });
  });

  it("a search that finds nobody says what it compares", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/members?query=amala");
    await page.getByText("The search finds the beginnings of names and email addresses.").waitFor();
    expect(await page.locator(".row-link").count()).toBe(0);
  });

  it("on a phone, the filters are folded, unless one of them is set", async () => {
    const { page } = browser;
    await page.setViewportSize({ width: 390, height: 844 });
    await open(page, "owner", "#/communities/1/members");
    await button(page, "Filters").waitFor();
    expect(await page.getByLabel("Status").isVisible()).toBe(false);
    await button(page, "Filters").click();
    await page.getByLabel("Status").selectOption("Ended");
    await page.waitForURL(/status=canceled/);
    await page.reload();
    await page.getByLabel("Status").waitFor();
    expect(await button(page, "Filters").getAttribute("aria-expanded")).toBe("true");
  });
});
