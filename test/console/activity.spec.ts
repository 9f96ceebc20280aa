import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { CommunityActivityPage } from "../../client/schema.ts";
import { people } from "../../tools/local/demo/people.ts";
import { ask, button, done, fullName, hasConsole, isActive, memberWho, open, useConsole } from "./console.ts";

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
    await page.getByLabel("From").fill("2020-01-02");
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

  it("filters that match nothing say so, and lead back to everything", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/activity?type=member&to=2020-01-01");
    await page.getByText("Nothing matches these filters").waitFor();
    await button(page, "Show everything").click();
    await page.locator(".timeline > li").first().waitFor();
    expect(page.url()).toMatch(/#\/communities\/1\/activity$/);
  });
});
