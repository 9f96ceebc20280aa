import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { CommunityActivityPage } from "../../client/schema.ts";
import { people } from "../../tools/local/demo/people.ts";
import { eventually } from "../support/eventually.ts";
import { ask, button, done, fullName, hasConsole, isActive, memberWho, open, useConsole } from "./console.ts";
import { tabTo } from "./keyboard.ts";

const path = "/odis/v1/communities/1/activity";

describe.skipIf(!hasConsole)("the activity of a community in Chromium", () => {
  const browser = useConsole();

  it("an owner finds what one person did to members, opens a member, and exports exactly what is shown", async () => {
    const member = await memberWho(isActive);
    const memberPath = `/odis/v1/communities/1/members/${member.id}`;
    await ask("owner", "PATCH", memberPath, { member: { metadata: { notes: `seen at ${Date.now()}` } } });
    const { page } = browser;
    await page.setViewportSize({ width: 390, height: 844 });
    await open(page, "owner", "#/communities/1/activity");
    await page.getByLabel("Show").selectOption("Members");
    await page.getByRole("link", { name: "Only what You did" }).first().click();
    await button(page, /^By You/).waitFor();
    expect(page.url()).toContain(`#/communities/1/activity?actor_id=${people.owner.id}&type=member`);
    await page.getByLabel("From", { exact: true }).fill("2020-01-02");
    await page.waitForURL(/from=2020-01-02/);
    const entries = page.locator(".timeline > li");
    const filters = `type=member&actor_id=${people.owner.id}&from=2020-01-02`;
    const shown = await ask<CommunityActivityPage>("owner", "GET", `${path}?${filters}&per=30`);
    expect(await entries.first().innerText()).toContain(`${fullName(member)} · Edited: notes`);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);

    const saved = page.waitForEvent("download");
    await button(page, "Export CSV").click();
    await Promise.race([saved, done(page, /^Exported/)]);
    const lines = (await text(await (await saved).createReadStream())).trim().split("\n").slice(1);
    expect(lines.slice(0, shown.data.length).map((line) => Number(line.split(",")[0]))).toEqual(
      shown.data.map(({ id }) => id),
    );

    await entries
      .first()
      .getByRole("link", { name: fullName(member) })
      .click();
    await page.waitForURL(new RegExp(`#/communities/1/members/${member.id}$`));
    await page.goBack();
    await button(page, /^By You/).click();
    expect(page.url()).not.toContain("actor_id");
  });

  it("the days of the filters can be typed, digit by digit", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/activity");
    await page.getByLabel("From", { exact: true }).focus();
    await page.keyboard.type("01022020");
    await page.waitForURL(/activity\?from=2020-01-02$/);
    await page.getByLabel("To", { exact: true }).focus();
    await page.keyboard.type("03042021");
    await page.waitForURL(/activity\?from=2020-01-02&to=2021-03-04$/);
    await page.getByLabel("To", { exact: true }).focus();
    await page.keyboard.press("Backspace");
    await page.waitForURL(/activity\?from=2020-01-02$/);
    expect(await page.getByLabel("From", { exact: true }).inputValue()).toBe("2020-01-02");
  });

  it("older entries that could not be loaded are asked for again, and the shown ones stay", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/activity");
    const entries = page.locator(".timeline > li");
    const older = /\/activity\?.*cursor=/;
    await page.route(older, (route) => route.abort());
    await button(page, "Show older entries").click();
    await page.getByText("Could not load older entries").waitFor();
    const shown = await entries.count();
    await page.unroute(older);
    await button(page, "Try again").click();
    await entries.nth(shown).waitFor();
    expect(await page.getByText("Could not load older entries").count()).toBe(0);
  });

  it("an owner finds a person of the team, an API key and a member by the keyboard, and sees what they did or what was done", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/activity");
    const field = page.getByLabel("Search");
    const found = page.getByRole("list", { name: "Found" });
    await field.fill("sam sup");
    await found.getByRole("button", { name: /^Sam Support/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/activity\?actor_id=8$/);
    await button(page, /^By Sam Support/).waitFor();
    expect([await field.inputValue(), await found.count()]).toEqual(["", 0]);
    await page.locator(".timeline > li").first().waitFor();
    expect(new Set(await page.locator(".timeline .muted a").allInnerTexts())).toEqual(new Set(["Sam Support"]));

    await field.fill("ware");
    await found.getByRole("button", { name: /^Warehouse/ }).click();
    await button(page, /^By (?:API key )?Warehouse/).waitFor();

    const member = await memberWho(isActive);
    await field.fill(`${member.user.last_name} ${member.user.first_name}`);
    const link = found.getByRole("link", { name: fullName(member) });
    await link.waitFor();
    await tabTo(page, fullName(member));
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`members/${member.id}\\?show=activity$`));
    await eventually(async () =>
      expect(await page.evaluate<string>("document.activeElement.innerText")).toMatch(/^Activity\n/),
    );
  });

  it("a support person, who may not list the team, finds who did something and members", async () => {
    const page = await open(browser.page, "support", "#/communities/1/activity");
    await page.locator(".timeline > li").first().waitFor();
    const field = page.getByLabel("Search");
    await field.fill("olga");
    await page.getByRole("button", { name: /^Olga Owner/ }).click();
    await page.waitForURL(/actor_id=3$/);
    await field.fill("zzz");
    await page.getByText("Nobody is found.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Nobody is found.").waitFor({ state: "detached" });
    expect(await field.inputValue()).toBe("");
  });

  it("a search does not say that nobody is found if the team could not be listed", async () => {
    const { page } = browser;
    const team = "**/odis/v1/communities/1/team?*";
    await page.route(team, (route) => route.fulfill({ status: 500, json: { code: "internal", status: 500 } }));
    await open(page, "owner", "#/communities/1/activity");
    await page.evaluate("Math.random = () => 0");
    await page.getByLabel("Search").fill("zzz");
    await page.getByText("Could not load the team and the API keys").waitFor();
    expect(await page.getByText("Nobody is found.").count()).toBe(0);
    await page.unroute(team);
    await button(page, "Try again").click();
    await page.getByText("Nobody is found.").waitFor();
  });

  it("filters that match nothing say so, and lead back to everything", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/activity?type=member&to=2020-01-01");
    await page.getByText("Nothing matches these filters").waitFor();
    await button(page, "Show everything").click();
    await page.locator(".timeline > li").first().waitFor();
    expect(page.url()).toMatch(/#\/communities\/1\/activity$/);
  });
});
