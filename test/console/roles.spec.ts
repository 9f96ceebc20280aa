import { beforeAll, describe, expect, it } from "vitest";
import { ask, button, hasConsole, heading, open, useConsole } from "./console.ts";

describe.skipIf(!hasConsole)("the console of people with a role, in Chromium", () => {
  const browser = useConsole();
  beforeAll(() =>
    // The test of the team gives the manager another role.
    ask("owner", "PATCH", "/odis/v1/communities/1/team/7", { team_member: { role: "manager" } }),
  );

  it.each(["manager", "support"] as const)("the overview of a %s says what needs them", async (who) => {
    const page = await open(browser.page, who, "#/communities/1");
    const needs = page.getByRole("region", { name: "Needs you" });
    await needs.getByRole("link", { name: /payments? overdue$/ }).waitFor();
    expect(await needs.getByRole("alert").count()).toBe(0);
  });

  it("the overview of a viewer does not say that nothing needs anybody, as they may not see it", async () => {
    const role = (name: string) =>
      ask("owner", "PATCH", "/odis/v1/communities/1/team/7", { team_member: { role: name } });
    await role("viewer");
    try {
      const page = await open(browser.page, "manager", "#/communities/1");
      await page.getByText(/so far: .* joined/).waitFor();
      expect(await page.getByRole("region", { name: "Needs you" }).count()).toBe(0);
    } finally {
      await role("manager");
    }
  });

  it("a manager who opens a page that their role does not include is told whom to ask", async () => {
    const page = await open(browser.page, "manager", "#/communities/1/team");
    await heading(page, "Team").waitFor();
    await page.getByText("Your role does not include this page. Ask the owner of the community.").waitFor();
    expect(await button(page, "Invite somebody").count()).toBe(0);
    await page.goto(page.url().replace(/team$/, "settings"));
    await page.getByText("Only the owner invites people to the team").waitFor();
  });

  it("a person without any right in a community sees that it is not theirs, and none of its pages", async () => {
    const page = await open(browser.page, "stranger", "#/communities/1");
    for (const path of ["", "/tiers", "/members/import", "/movements"]) {
      await page.evaluate(`void (location.hash = "#/communities/1${path}")`);
      await heading(page, "This is not your community").waitFor();
      expect(await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allTextContents()).toEqual([
        "Communities",
      ]);
      expect(await page.locator("main").getByRole("button").count()).toBe(0);
    }
  });

  it("a person who got a community after the console was opened sees its pages", async () => {
    const { page } = browser;
    let isRead = false;
    await page.route("**/odis/v1/me", async (route) => {
      if (isRead) return route.continue();
      isRead = true;
      const response = await route.fetch();
      const me = (await response.json()) as object;
      return route.fulfill({ response, json: { ...me, owned_communities: [], teams: [] } });
    });
    await open(page, "owner", "#/communities/1/tiers");
    await heading(page, "Tiers").waitFor();
    expect(isRead).toBe(true);
  });
});
