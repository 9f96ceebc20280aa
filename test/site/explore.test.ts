import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { membershipOf } from "#lib/store/members/item.ts";
import { write } from "#lib/store/write.ts";
import { type Person, sitePages } from "../../tools/local/pages.ts";
import { type Stack, startStack } from "../../tools/local/stack.ts";
import { tokenFor } from "../../tools/local/users.ts";
import { barriers, useBrowser } from "../support/browser.ts";
import { hasBrowser } from "../support/chromium.ts";
import { aCommunity, aTier, memberOf } from "../support/given.ts";
import { rowOf, writeRow } from "../support/listing.ts";

const pixel = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
const harmful = '<img src=x onerror="document.title = 1">';

describe.skipIf(!hasBrowser("the explore page"))("the explore page in Chromium", () => {
  const browser = useBrowser();
  let stack: Stack;
  let page: Page;
  let people: Person[] = [];

  beforeAll(async () => {
    stack = await startStack({ pages: sitePages({ people: () => people }) });
    people = [{ name: "member", token: await tokenFor(stack.cognito, { id: 5, groups: [], expiresIn: 600 }) }];
    const { table } = stack;
    const badges = { "1": "Friend" };
    const now = new Date();
    await writeRow(table, rowOf({ id: 1, name: "Mezcal Circle", member_count: 1200, avatar_url: pixel, badges }), now);
    await writeRow(table, rowOf({ id: 2, name: "Ñandú & Co.", member_count: 1, badges, trending_pin: "on" }), now);
    await writeRow(table, rowOf({ id: 3, name: harmful, avatar_url: `${stack.url}/nowhere.png` }), now);
    for (let id = 10; id < 30; id++) await writeRow(table, rowOf({ id, name: `Club ${id}` }), now);
    const member = memberOf({ id: 1, owner: { id: 3 }, tier: { id: 1 } } as never, { user: { id: 5 } });
    await write(table, [{ put: membershipOf(member) }]);
  });
  afterAll(() => stack.stop());

  beforeEach(async () => {
    ({ page } = browser);
    await page.goto(`${stack.url}/explore`);
    await page.getByRole("status").getByText("23 communities").waitFor();
  });

  const search = () => page.getByRole("searchbox", { name: "Search by name" });
  const shows = (text: string) => page.getByRole("status").getByText(text, { exact: true }).waitFor();
  const headings = () => page.getByRole("article").getByRole("heading").allInnerTexts();

  it("the explore page lists communities, largest first, and more of them on demand", async () => {
    expect((await headings()).slice(0, 2)).toEqual(["Mezcal Circle", "Ñandú & Co."]);
    expect(await headings()).toHaveLength(20);
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByRole("article").nth(22).waitFor();
    expect(await page.getByRole("button", { name: "Show more" }).isVisible()).toBe(false);
  });

  it("the explore page finds any part of a name, in any case, with or without accents", async () => {
    await search().fill("NANDU");
    await shows("1 community");
    expect(await headings()).toEqual(["Ñandú & Co."]);
    expect(await page.getByText("1 member", { exact: true }).isVisible()).toBe(true);
    await search().fill("nothing like it");
    await shows("0 communities");
  });

  it("the explore page shows Explore without a badge to strangers, and View with the badge to members", async () => {
    expect(await page.getByRole("link", { name: "Explore Mezcal Circle" }).innerText()).toBe("Explore");
    expect(await page.getByText("Friend").count()).toBe(0);
    await page.getByRole("combobox", { name: "Signed in as" }).selectOption("member");
    await page.getByRole("link", { name: "View Mezcal Circle" }).waitFor();
    const card = page.getByRole("article").filter({ hasText: "Mezcal Circle" });
    expect(await card.innerText()).toContain("Friend");
    expect(await card.innerText()).toContain("1,200 members");
    expect(await page.getByRole("link", { name: "Explore Ñandú & Co." }).innerText()).toBe("Explore");
  });

  it("the explore page shows the tiers of a community and the way to the example front end, and lets a person join", async () => {
    const { id } = await aCommunity(stack.table, { name: "Raicilla", slug: "club-1", status: "archived" });
    await aTier(stack.table, id, { name: "Joven", monthly_price_dollars: 12.5 });
    await page.getByRole("link", { name: "Explore Mezcal Circle" }).click();
    const dialog = page.getByRole("dialog", { name: "Raicilla" });
    await dialog.getByText("$12.50 a month").waitFor();
    await dialog.getByText("choose a person").waitFor();
    expect(await dialog.getByRole("button", { name: "Join Joven" }).count()).toBe(0);
    expect(await dialog.getByRole("link").getAttribute("href")).toBe("http://localhost:5173/club.html?c=club-1");
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.waitForURL(`${stack.url}/explore`);

    await page.getByRole("combobox", { name: "Signed in as" }).selectOption("member");
    await page.getByRole("link", { name: "View Mezcal Circle" }).click();
    await dialog.getByRole("button", { name: "Join Joven" }).waitFor();
    expect(await page.getByRole("link", { name: /^Manage/ }).count()).toBe(0);
  });

  it("the explore page has filters, and asks signed-out people to sign in", async () => {
    await page.getByRole("radio", { name: "Trending" }).check();
    await shows("1 community");
    expect(await headings()).toEqual(["Ñandú & Co."]);
    await page.getByRole("radio", { name: "My communities" }).check();
    await shows("Sign in to see your communities.");
    expect(await headings()).toEqual([]);
    await page.getByRole("combobox", { name: "Signed in as" }).selectOption("member");
    await shows("1 community");
    expect(await headings()).toEqual(["Mezcal Circle"]);
  });

  it("the explore page shows avatars, and the first letter if one is missing or cannot be loaded", async () => {
    const avatar = (name: string) => page.getByRole("article").filter({ hasText: name }).locator(".avatar");
    await avatar("Mezcal Circle").locator("img").waitFor();
    expect(await avatar("Ñandú & Co.").innerText()).toBe("Ñ");
    await avatar(harmful).getByText("<", { exact: true }).waitFor();
    expect(await page.title()).toBe("Explore communities · Odis");
  });

  it("the cards of a deployed explore page lead to the page where people join, or to the console if none is for a community without a tier", async () => {
    const origin = "https://odis.example";
    await page.route(`${origin}/**`, async (route) => {
      const { pathname, search: query } = new URL(route.request().url());
      // Only the community without a picture of the local stack, which is not on this origin.
      const response = await fetch(`${stack.url}${pathname}${query.replace("query=&", "query=Mezcal&")}`);
      const headers = Object.fromEntries(response.headers);
      await route.fulfill({ status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) });
    });
    const deploymentInfo = `${origin}/.well-known/odis.json`;
    const link = page.getByRole("link", { name: "Explore Mezcal Circle" });
    for (const [body, address] of [
      ['{"join_url":"https://app.example/c/{slug}#tier-{tier_id}"}', "https://app.example/c/club-1"],
      ['{"join_url":"https://app.example/{slug}/#/join/{slug}/{tier_id}?go"}', "https://app.example/club-1/"],
      ['{"join_url":"https://app.example/join?c={slug}&tier={tier_id}"}', "/console#/communities/1"],
      ['{"join_url":"https://app.example/join#tier-{tier_id}"}', "/console#/communities/1"],
      ['{"join_url":"https://app.example/#/c/{slug}/{tier_id}"}', "/console#/communities/1"],
      ["{}", "/console#/communities/1"],
      ["<h1>Bad gateway</h1>", "/console#/communities/1"],
    ] as const) {
      await page.route(deploymentInfo, (route) => route.fulfill({ body }));
      await page.goto(`${origin}/explore`);
      await link.waitFor();
      expect(await link.getAttribute("href")).toBe(address);
      await page.unroute(deploymentInfo);
    }
  });

  it("the explore page shows the message of the gateway if it refuses a request, such as one too many", async () => {
    const explore = "**/api/v1/communities/explore*";
    for (const [json, text] of [
      [{ message: "Too Many Requests" }, "Too Many Requests"],
      [{}, "Try again later."],
    ] as const) {
      await page.route(explore, (route) => route.fulfill({ status: 403, json }));
      await search().fill(text);
      await shows(text);
      expect(await headings()).toEqual([]);
      await page.unroute(explore);
    }
  });

  it("the explore page shows why a community cannot be shown, and that there is none at an address", async () => {
    const dialog = page.getByRole("dialog");
    const communities = "**/odis/v1/communities?slug=*";
    await page.route(communities, (route) => route.fulfill({ status: 403, json: { message: "Too Many Requests" } }));
    await page.getByRole("link", { name: "Explore Mezcal Circle" }).click();
    await dialog.getByText("Too Many Requests").waitFor();
    await page.unroute(communities);
    await page.goto("about:blank");
    await page.goto(`${stack.url}/explore#100%`);
    await dialog.getByText("There is no such community.").waitFor();
    expect(await dialog.getByRole("heading").innerText()).toBe("100%");
  });

  it("the explore page can be used with the keyboard alone", async () => {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("club 1");
    await shows("10 communities");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowRight");
    await shows("0 communities");
    expect(await page.getByRole("radio", { name: "Trending" }).isChecked()).toBe(true);
  });

  it("every control of the explore page has an accessible name", async () => {
    const tree = await page.locator("body").ariaSnapshot();
    for (const role of ["searchbox", "combobox", "radio", "link", "heading"]) {
      expect(tree).toMatch(new RegExp(`- ${role} "`));
      expect(tree).not.toMatch(new RegExp(`- ${role}$`, "m"));
    }
  });

  it.each(["light", "dark"] as const)("the explore page is accessible in %s colors", async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.getByRole("combobox", { name: "Signed in as" }).selectOption("member");
    await page.getByText("Friend").waitFor();
    expect(await barriers(page)).toEqual([]);
  });
});
