import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { BenefitPage } from "../../client/schema.ts";
import { password } from "../../tools/local/users.ts";
import { ask, button, dialog, hasConsole, heading, isActive, local, memberWho, open, useConsole } from "./console.ts";

const benefits = "**/odis/v1/communities/1/benefits";
const openForm = (page: Page) => button(page, "Create a benefit").first().click();
const nameIn = (page: Page) => dialog(page).getByLabel("Name");

describe.skipIf(!hasConsole)("what the console keeps for a person, in Chromium", () => {
  const browser = useConsole();

  it("a half-filled form survives Escape, Back, a reload and an expired session, until it is discarded", async () => {
    const { page } = browser;
    await open(page, "owner", "#/communities/1/tiers");
    await page.getByRole("link", { name: "Benefits" }).click();
    await openForm(page);
    await nameIn(page).fill("Tasting in the cellar");
    const ways = [
      () => page.keyboard.press("Escape"),
      () => page.goBack().then(() => page.goForward()),
      () => page.reload(),
      () => signInAgain(page),
    ];
    for (const leave of ways) {
      await leave();
      await dialog(page).waitFor({ state: "detached" });
      await openForm(page);
      await dialog(page).getByText("You entered this earlier, and did not save it.").waitFor();
      expect(await nameIn(page).inputValue()).toBe("Tasting in the cellar");
    }
    await button(page, "Discard").click();
    expect(await nameIn(page).inputValue()).toBe("");
    await page.reload();
    await openForm(page);
    expect(await nameIn(page).inputValue()).toBe("");
  });

  it("the comment of a cancellation that was not sent stays, and when it should end is chosen again", async () => {
    const { id } = await memberWho(isActive);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    const openCancel = () => button(page, "Cancel the subscription").click();
    const comment = dialog(page).getByLabel("Comment");
    await openCancel();
    await comment.fill("Moves to Lisbon in spring");
    await dialog(page).getByLabel("Now").check();
    for (const leave of [() => page.keyboard.press("Escape"), () => page.reload()]) {
      await leave();
      await dialog(page).waitFor({ state: "detached" });
      await openCancel();
      await dialog(page).getByText("You entered this earlier, and did not save it.").waitFor();
      expect(await comment.inputValue()).toBe("Moves to Lisbon in spring");
      expect(await dialog(page).getByLabel("Now").isChecked()).toBe(false);
    }
    await button(page, "Discard").click();
    expect(await comment.inputValue()).toBe("");
    await page.keyboard.press("Escape");
    await openCancel();
    await comment.waitFor();
    expect(await dialog(page).getByRole("button", { name: "Discard" }).count()).toBe(0);
  });

  it("a form whose answer was lost makes one record if the page is reloaded and it is sent again", async () => {
    const { page } = browser;
    await open(page, "owner", "#/communities/1/benefits");
    await openForm(page);
    await nameIn(page).fill("A walk through the agaves");
    await page.route(benefits, async (route) => {
      if (route.request().method() === "POST") await route.fetch();
      await route.abort();
    });
    await dialog(page).getByRole("button", { name: "Create the benefit" }).click();
    await dialog(page).getByText("The server cannot be reached.").waitFor();
    await page.unroute(benefits);
    await page.reload();
    await openForm(page);
    await dialog(page).getByRole("button", { name: "Create the benefit" }).click();
    await dialog(page).waitFor({ state: "detached" });
    const { data } = await ask<BenefitPage>("owner", "GET", "/odis/v1/communities/1/benefits?per=100");
    expect(data.filter(({ name }) => name === "A walk through the agaves")).toHaveLength(1);
  });

  it("a new tab has the session of an open one, which ends in both when the person signs out", async () => {
    const { page } = browser;
    await open(page, "owner");
    const opened = page.context().waitForEvent("page");
    const address = JSON.stringify(`${local().api_url}/console#/communities/1/tiers`);
    // A tab that knows its opener gets a copy of the opener's storage.
    await page.evaluate(`void open(${address}, "", "noopener")`);
    const tab = await opened;
    await heading(tab, "Tiers").waitFor();
    expect(await tab.evaluate("localStorage.length")).toBe(0);
    await button(tab, "Sign out").click();
    for (const one of [tab, page]) await heading(one, "Sign in").waitFor();
    await page.reload();
    await heading(page, "Sign in").waitFor();
    await tab.close();
  });

  it("after one person has signed out, the next one sees nothing of the list that was kept for the way back", async () => {
    const { page } = browser;
    await open(page, "owner", "#/communities/1/members");
    await page.locator(".row-link").first().click();
    await page.getByRole("link", { name: "All members" }).waitFor();
    await button(page, "Sign out").click();
    await page.getByLabel("Email").fill("stranger@example.com");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.locator(".person").waitFor();
    await page.route("**/communities/1/members?*", () => undefined);
    await page.evaluate("void (location.hash = '#/communities/1/members')");
    await heading(page, "Members").waitFor();
    expect(await page.locator(".row-link").count()).toBe(0);
  });
});

/** Sends the form with a session that has expired, and signs in again. */
async function signInAgain(page: Page): Promise<void> {
  await page.route(benefits, (route) =>
    route.fulfill({ status: 401, json: { code: "invalid_token", title: "The token is invalid", status: 401 } }),
  );
  await dialog(page).getByRole("button", { name: "Create the benefit" }).click();
  await page.getByLabel("Password").fill(password);
  await page.unroute(benefits);
  await page.getByLabel("Email").fill("owner@example.com");
  await button(page, "Sign in").click();
  await page.locator(".person").waitFor();
}
