import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { Community, Invitation, Member, Tier } from "../../client/schema.ts";
import { people } from "../../tools/local/demo/people.ts";
import { all, ask, button, done, hasConsole, heading, newTab, open, useConsole, type Who } from "./console.ts";

describe.skipIf(!hasConsole)("the import of members in the console, in Chromium", () => {
  const browser = useConsole();
  let communityId: number;
  let tier: Tier;
  let path: string;
  const importUrl = "**/members/import";

  beforeAll(async () => {
    const community = { name: "Mezcal from Elsewhere", owner_id: people.other_owner.id };
    ({ id: communityId } = await ask<Community>("admin", "POST", "/odis/v1/communities", { community }));
    path = `#/communities/${communityId}/members/import`;
    const body = { tier: { name: "Friend", monthly_price_dollars: 0 } };
    tier = await ask<Tier>("other_owner", "POST", `/odis/v1/communities/${communityId}/tiers`, body);
  });

  const choose = (page: Page, contents: string) =>
    page
      .getByLabel("CSV file")
      .setInputFiles({ name: "members.csv", mimeType: "text/csv", buffer: Buffer.from(contents) });
  const membersOf = (query = "") => all<Member>("other_owner", `/odis/v1/communities/${communityId}/members?${query}`);
  const finished = (page: Page) => page.getByRole("region", { name: /imported$/ });

  it("an owner matches the columns of a file, sees each row that cannot be imported, imports the others, and saves the rest", async () => {
    const page = await open(browser.page, "other_owner", `#/communities/${communityId}/members`);
    await page.getByRole("link", { name: "Import your members" }).click();
    await heading(page, "Import members").waitFor();
    const rows = [
      "E-Mail;Who;Pledge;First day;stripe_customer_id",
      '"ana@import.example";"Ana Ruiz";"Gold, ""old""";05/03/2024;cus_1',
      '"bea@import.example";"Bea\nBravo";;13/03/2024;',
      '"cleo";"Cleo";Friend;;',
      '"dora@import.example";"Dora";Friend;31/31/2024;',
    ];
    await choose(page, `\uFEFF${rows.join("\r\n")}\r\n`);
    await page.getByLabel("Who").selectOption("Full name");
    await page.getByLabel("First day").selectOption("Joined");
    await page.getByLabel("Pledge").selectOption("Tier");
    await page.getByText("Only an admin can import this.").waitFor();
    await page.getByText("1 of 4 rows can be imported.").waitFor();
    await page.getByLabel('Tier for “Gold, "old"”').selectOption("Friend");
    await page.getByText("2 of 4 rows can be imported.").waitFor();
    const failed = page.getByRole("table", { name: "Rows that are not imported" });
    expect(await failed.getByRole("row").allInnerTexts()).toEqual([
      expect.stringMatching(/Line\s+Reason/),
      expect.stringMatching(/^5\s+Email must be an email address\.\s+cleo$/),
      expect.stringMatching(/^6\s+Joined: “31\/31\/2024” is not a date\.\s+dora@import\.example$/),
    ]);
    expect(await membersOf()).toEqual([]);

    await button(page, "Import 2 members").click();
    await done(page, "The import is finished.");
    await finished(page).getByRole("heading", { name: "2 members imported" }).waitFor();
    const [bea, ana] = await membersOf();
    expect([ana, bea]).toMatchObject([
      { user: { email: "ana@import.example", first_name: "Ana" }, joined_at: "2024-03-05T00:00:00.000Z" },
      { user: { email: "bea@import.example", last_name: "Bravo" }, joined_at: "2024-03-13T00:00:00.000Z" },
    ]);
    expect(ana?.membership_tier.id).toBe(tier.id);
    const saved = page.waitForEvent("download");
    await button(page, "Download these rows with the reasons").click();
    const report = (await text(await (await saved).createReadStream())).trim().split("\r\n");
    expect(report).toHaveLength(3);
    expect(report[1]).toBe('"cleo","Cleo","Friend","","",5,"Email must be an email address."');
  });

  it("the first rows have the days of the file, in every time zone", async () => {
    const tab = await newTab(browser.page, { locale: "en-US", timezoneId: "America/Los_Angeles" });
    const page = await open(tab, "other_owner", path);
    await choose(page, "email,tier,joined\ndays@import.example,Friend,2024-03-05");
    const cell = page.getByRole("cell", { name: "Mar 5, 2024" });
    await cell.waitFor();
    expect(await cell.count()).toBe(1);
    await tab.close();
  });

  it("rows whose answer is lost are imported once, and the page continues after a reload", async () => {
    const page = await open(browser.page, "other_owner", path);
    const rows = Array.from({ length: 60 }, (_, n) => `lost${n}@import.example,Friend`);
    await choose(page, `email,tier\n${rows.join("\n")}`);
    let requests = 0;
    await page.route(importUrl, async (route) => {
      requests++;
      if (requests > 1) await route.fetch();
      return requests > 1 ? route.abort() : route.continue();
    });
    await button(page, "Import 60 members").click();
    await page.getByText("The server cannot be reached.").waitFor();
    await page.getByText("25 of 60 rows").waitFor();
    await page.unroute(importUrl);
    await page.reload();
    await finished(page).getByRole("heading", { name: "60 members imported" }).waitFor();
    const imported = (await membersOf()).filter(({ user }) => user.email.startsWith("lost"));
    expect(new Set(imported.map(({ user }) => user.email)).size).toBe(60);
    expect(imported).toHaveLength(60);
    await button(page, "Import another file").click();
    await page.getByLabel("CSV file").waitFor();
  });

  it("a person whose import is refused as a whole can choose another file", async () => {
    const page = await open(browser.page, "other_owner", path);
    await choose(page, "email,tier\nrefused@import.example,Friend");
    await page.route(importUrl, (route) =>
      route.fulfill({
        status: 422,
        contentType: "application/problem+json",
        body: JSON.stringify({ code: "idempotency_key_reused", status: 422, detail: "The key was used before" }),
      }),
    );
    await button(page, "Import 1 member").click();
    await page.getByText("The import has stopped").waitFor();
    await page.reload();
    await button(page, "Choose another file").click();
    await page.getByLabel("CSV file").waitFor();
    expect(await membersOf("query=refused")).toEqual([]);
  });

  it("an import goes on if the browser has no room to keep its progress, and sends each request once", async () => {
    const page = await open(browser.page, "other_owner", path);
    const rows = Array.from({ length: 60 }, (_, n) => `full${n}@import.example,Friend`);
    await choose(page, `email,tier\n${rows.join("\n")}`);
    await button(page, "Import 60 members").waitFor();
    await page.evaluate(`for (let size = 2 ** 22, n = 0; size >= 1; n++)
      try { sessionStorage.setItem("filler" + n, "x".repeat(size)); } catch { size = Math.floor(size / 2); }`);
    let requests = 0;
    await page.route(importUrl, (route) => {
      requests++;
      return route.continue();
    });
    await button(page, "Import 60 members").click();
    await finished(page).getByRole("heading", { name: "60 members imported" }).waitFor();
    expect(requests).toBe(3);
  });

  it("a manager imports 300 rows, without the choice of Stripe ids", async () => {
    const invitation = { email: "member@example.com", role: "manager" };
    const invitations = `/odis/v1/communities/${communityId}/invitations`;
    const { id } = await ask<Invitation>("other_owner", "POST", invitations, { invitation });
    await ask("member" satisfies Who, "POST", `/odis/v1/invitations/${id}/accept`);
    const page = await open(browser.page, "member", path);
    const rows = Array.from({ length: 300 }, (_, n) => `row${n}@import.example\tRow ${n}`);
    await page.getByText("Paste cells instead").click();
    await page.getByLabel("Cells, with the names of the columns").fill(`Email\tName\n${rows.join("\n")}`);
    await button(page, "Use these cells").click();
    const options = await page.getByLabel("Email", { exact: true }).locator("option").allInnerTexts();
    expect(options.filter((option) => option.includes("Stripe"))).toEqual([]);
    await button(page, "Import 300 members").click();
    await finished(page).getByRole("heading", { name: "300 members imported" }).waitFor();
    const imported = (await membersOf("query=row")).filter(({ user }) => user.email.startsWith("row"));
    expect(imported).toHaveLength(300);
  });
});
