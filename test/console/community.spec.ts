import { describe, expect, it } from "vitest";
import type { BenefitPage, BrandPage, Community, Series, Tier, Transaction } from "../../client/schema.ts";
import { producers } from "../../tools/local/demo/demo.ts";
import { eventually } from "../support/eventually.ts";
import {
  all,
  ask,
  button,
  dialog,
  done,
  fullName,
  hasConsole,
  heading,
  local,
  members,
  newTab,
  open,
  useConsole,
} from "./console.ts";

/** Widths of the pictures themselves. 0 for those that are not loaded. */
const widths = (images: readonly unknown[]) => images.map((image) => (image as { naturalWidth: number }).naturalWidth);

/** The least contrast of the letters of a picture without an image, of all hues (WCAG 2.2, relative luminance). */
const leastContrast = `(() => {
  const avatar = document.querySelector(".avatar.large");
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
  const luminance = (color) => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((value) =>
      value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrasts = Array.from({ length: 360 }, (_, hue) => {
    avatar.style.setProperty("--hue", hue);
    const { color, backgroundColor } = getComputedStyle(avatar);
    const [darker, lighter] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  });
  return Math.min(...contrasts);
})()`;

describe.skipIf(!hasConsole)("communities and brands in the console, in Chromium", () => {
  const browser = useConsole();

  it("the overview draws the members over time, and shows the same values as a table", async () => {
    const page = await open(browser.page, "owner");
    const card = page.getByRole("region", { name: "Members with access", exact: true });
    await card.locator("canvas").waitFor();
    await page.getByLabel("Show the last").selectOption("12 months");
    const path = "/odis/v1/communities/1/stats/series?metric=members&interval=month";
    const { points } = await ask<Series>("owner", "GET", path);
    await card.getByText("Values", { exact: true }).click();
    await eventually(async () =>
      expect(await card.locator("details tbody td:nth-child(2)").allInnerTexts()).toEqual(
        points.toReversed().map(({ value }) => String(value)),
      ),
    );
    expect(points.at(-1)?.value).toBeGreaterThan(0);
    expect(await card.getByRole("img").getAttribute("aria-label")).toContain(`${points.at(-1)?.value} at the end`);
  });

  it("the numbers above the plots lead to the members and payments that they count", async () => {
    const page = await open(browser.page, "owner");
    const numberOf = (name: string) => page.getByRole("region", { name, exact: true }).locator(".figure-value a");
    const count = await numberOf("Members with access").innerText();
    const received = await numberOf("Payments received").innerText();
    await numberOf("Members with access").click();
    await page.getByText(`${count} members`, { exact: true }).waitFor();
    await page.goBack();
    await numberOf("Payments received").click();
    await page.waitForURL(/type=payment&from=\d{4}-\d\d-\d\d$/);
    const from = page.url().slice(-10);
    await page.getByLabel("Month").locator(`option[value="${from}"]`).waitFor({ state: "attached" });
    expect(await page.getByLabel("Month").inputValue()).toBe(from);
    const paid = await all<Transaction>("owner", `/odis/v1/communities/1/transactions?type=payment&from=${from}`);
    const cents = paid.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
    expect(Number(received.replaceAll(/[$,]/g, ""))).toBe(cents / 100);
  });

  it("the overview begins with the month, and says what needs the owner with links to exactly these members", async () => {
    const page = await open(browser.page, "owner");
    const month = page.getByRole("region", { name: "This month" });
    await month.waitFor();
    const now = new Date().toISOString().slice(0, 7);
    const counted = await Promise.all(
      ["joined", "left"].map(async (metric) => {
        const path = `/odis/v1/communities/1/stats/series?metric=${metric}&interval=month&from=${now}-01`;
        return `${(await ask<Series>("owner", "GET", path)).points[0]?.value} ${metric}`;
      }),
    );
    const sentence = month.locator(".month-sentence");
    for (const text of counted) await sentence.getByRole("link", { name: text, exact: true }).waitFor();
    await month.getByText(/^In .+: \$.+ in, \d+ joined, \d+ left\.$/).waitFor();

    const needs = page.getByRole("region", { name: "Needs you" });
    const overdue = await members("access=true&status=past_due");
    const cents = overdue.reduce((sum, { price_cents }) => sum + (price_cents ?? 0), 0);
    await needs.getByText(`$${cents / 100} a renewal at risk`).waitFor();
    const letter = await needs.getByRole("link", { name: /^Write an email: Your payment/ }).getAttribute("href");
    for (const { user } of overdue) expect(letter).toContain(encodeURIComponent(user.email));
    await needs.getByText("2 invitations to the team not accepted yet").waitFor();
    await needs.getByRole("link", { name: `${overdue.length} payments overdue` }).click();
    await page.getByText(`${overdue.length} members`, { exact: true }).waitFor();
    const shown = await page.locator(".row-link").allInnerTexts();
    expect(shown.toSorted()).toEqual(overdue.map(fullName).toSorted());
  });

  it("the frame and the overview show the picture of a community, and its initials if the picture cannot be loaded", async () => {
    const patch = (avatar_url: string | null) =>
      ask("owner", "PATCH", "/odis/v1/communities/1", { community: { avatar_url } });
    const pictures = "https://pictures.example/**";
    await patch("https://pictures.example/agave.svg");
    const body = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
    await browser.page.route(pictures, (route) => route.fulfill({ contentType: "image/svg+xml", body }));
    const page = await open(browser.page, "owner", "#/communities/1");
    const shown = page.locator(".avatar > img");
    await eventually(async () => expect(await shown.evaluateAll(widths)).toEqual([8, 8]));
    await page.unroute(pictures);
    await page.route(pictures, (route) => route.abort());
    await page.reload();
    await page.locator(".avatar.large").getByText("MC").waitFor();
    expect(await shown.count()).toBe(0);
    await patch(null);
  });

  it("the initials of a community have a contrast of at least 4.5 in the color of every id, light and dark", async () => {
    const page = await open(browser.page, "owner", "#/communities/1");
    await page.locator(".avatar.large").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate(leastContrast)).toBeGreaterThan(4.5);
    }
  });

  it("the explore page leads an owner to their community in the console", async () => {
    const { page } = browser;
    await page.goto(`${local().api_url}/explore`);
    await page.getByRole("combobox", { name: "Signed in as" }).selectOption("owner");
    await page.getByRole("link", { name: "Manage Mezcal Circle" }).click();
    await heading(page, "Sign in").waitFor();
    expect(page.url()).toBe(`${local().api_url}/console#/communities/1`);
  });

  it("an owner copies the link to join a tier, which leads to the tier in the example front end", async () => {
    await browser.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await open(browser.page, "owner", "#/communities/1/tiers");
    await button(page, "Copy link to join Agave Friend").click();
    await done(page, "The link to join Agave Friend was copied.");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      "http://localhost:5173/club.html?c=mezcal-circle#tier-11",
    );
  });

  it("an owner archives a benefit", async () => {
    const page = await open(browser.page, "owner");
    await page.getByRole("link", { name: "Benefits" }).click();
    await button(page, "Archive Your name on a barrel").click();
    await dialog(page).getByText("Members no longer see it.").waitFor();
    await button(page, "Archive the benefit").click();
    await done(page, "Your name on a barrel was archived.");
    await button(page, "Activate Your name on a barrel").waitFor();
    const { data } = await ask<BenefitPage>("owner", "GET", "/odis/v1/communities/1/benefits?status=archived");
    expect(data.map(({ name }) => name)).toContain("Your name on a barrel");
  });

  it("an owner moves a benefit up", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/benefits");
    await button(page, "Move Two bottles a season up").click();
    await done(page, "Two bottles a season was moved up.");
    const { data } = await ask<BenefitPage>("owner", "GET", "/odis/v1/communities/1/benefits");
    expect(data.slice(0, 2).map(({ name }) => name)).toEqual(["Two bottles a season", "Monthly tasting notes"]);
  });

  it("a price change says that members keep their price, and applies to new members only", async () => {
    const page = await open(browser.page, "owner");
    await page.getByRole("link", { name: "Tiers" }).click();
    await button(page, "Change price of Agave Friend").click();
    await dialog(page).getByLabel("Price per month").fill("0.20");
    await dialog(page).getByRole("button", { name: "Change price" }).click();
    await dialog(page).getByText("Enter 0, or at least $0.50.").waitFor();
    await dialog(page).getByLabel("Price per month").fill("12.50");
    await dialog(page).getByText("New members pay $12.50 a month from now on.").waitFor();
    await dialog(page).getByText("keep the price they joined at").waitFor();
    await dialog(page).getByRole("button", { name: "Change price" }).click();
    await done(page, "The price was changed for new members.");
    expect(await ask<Tier>("owner", "GET", "/odis/v1/tiers/11")).toMatchObject({ monthly_price_dollars: 12.5 });
  });

  it("an archive of a tier whose price somebody else has changed is not reported as done", async () => {
    const path = "/odis/v1/tiers/11";
    const { monthly_price_dollars } = await ask<Tier>("owner", "GET", path);
    const page = await open(browser.page, "owner", "#/communities/1/tiers");
    await button(page, "Archive Agave Friend").click();
    await button(page, "Archive the tier").waitFor();
    await ask("owner", "PATCH", path, { tier: { monthly_price_dollars: monthly_price_dollars + 1 } });
    await button(page, "Archive the tier").click();
    await dialog(page).getByText("Someone else changed this while you were editing").waitFor();
    const tier = await ask<Tier>("owner", "PATCH", path, { tier: { monthly_price_dollars } });
    expect(tier.status).toBe("active");
  });

  it("an admin signs in with a code and transfers a community", async () => {
    const page = await open(browser.page, "admin");
    await page.getByLabel("Find a community by name").fill("peat");
    await page.getByRole("link", { name: /Peat & Smoke/ }).click();
    await page.getByRole("link", { name: "Settings" }).click();
    await button(page, "Transfer").click();
    const email = dialog(page).getByLabel("Email of the new owner");
    await email.fill("nobody@example.com");
    await button(page, "Continue").click();
    await dialog(page).getByText("Nobody with the address nobody@example.com has signed in yet.").waitFor();
    await email.fill("Stranger@example.com");
    await button(page, "Continue").click();
    await dialog(page).getByText("Stan Stranger (stranger@example.com) can manage").waitFor();
    await dialog(page).getByText("User 4, the current owner, loses this access.").waitFor();
    await button(page, "Transfer the community").click();
    await done(page, "The community was transferred.");
    await page.getByText("User 6", { exact: true }).waitFor();
    expect(await ask<Community>("admin", "GET", "/odis/v1/communities/2")).toMatchObject({ owner_id: 6 });
  });

  it("a name may have as many characters as the API takes, and one that is too long has the reason at its field", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/benefits");
    await button(page, "Create a benefit").first().click();
    await dialog(page).getByLabel("Name").focus();
    await page.keyboard.insertText("🥃".repeat(121));
    await button(page, "Create the benefit").click();
    await dialog(page).getByText("Must have 1 to 120 characters.").waitFor();
    await dialog(page).getByLabel("Name").press("End");
    await dialog(page).getByLabel("Name").press("Backspace");
    await button(page, "Create the benefit").click();
    await done(page, "The benefit was created.");
    const { data } = await ask<BenefitPage>("owner", "GET", "/odis/v1/communities/1/benefits?per=100");
    expect(data.map(({ name }) => name)).toContain("🥃".repeat(120));
  });

  it("an editor creates a brand for two producers", async () => {
    const [first, second] = producers;
    const page = await open(browser.page, "editor");
    await page.getByLabel("Producer id").fill(first);
    await button(page, "Show the brands").click();
    const { total } = await ask<BrandPage>("editor", "GET", `/odis/v1/producers/${first}/brands`);
    await page.getByText(`${total} brands`, { exact: true }).waitFor();
    await button(page, "Create a brand").click();
    await dialog(page).getByLabel("Name").fill("Río Ñoño");
    await dialog(page).getByLabel("Other producers").fill("nonsense");
    await button(page, "Create the brand").click();
    await dialog(page).getByText("“nonsense” is not a producer id.").waitFor();
    await dialog(page).getByLabel("Other producers").fill(second);
    await button(page, "Create the brand").click();
    await done(page, "The brand was created.");
    await page.getByText(`${total + 1} brands`, { exact: true }).waitFor();
    const { data } = await ask<BrandPage>("editor", "GET", `/odis/v1/producers/${second}/brands?query=nono`);
    expect(data.map(({ name, producer_ids }) => ({ name, producer_ids }))).toEqual([
      { name: "Río Ñoño", producer_ids: [first, second] },
    ]);
  });

  it("a person who edits a record that another tab has changed sees both versions, and saves only their own fields", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/settings");
    const other = await open(await newTab(page), "owner", "#/communities/1/settings");
    await button(page, "Edit").click();
    await button(other, "Edit").click();
    await dialog(page).getByLabel("Name").fill("Mezcal Club");
    await dialog(other).getByLabel("Name").fill("Mezcal Ring");
    await dialog(other).getByLabel("Address", { exact: true }).fill("mezcal-ring");
    await button(other, "Save").click();
    await done(other, "The community was saved.");
    await button(page, "Save").click();
    await dialog(page).getByText("Someone else changed this while you were editing").waitFor();
    expect(await dialog(page).getByRole("region", { name: "Name" }).innerText()).toMatch(/Mezcal Ring[^]*Mezcal Club/);
    await button(page, "Save my changes").click();
    await done(page, "The community was saved.");
    await heading(page, "Settings").waitFor();
    const community = await ask<Community>("owner", "GET", "/odis/v1/communities/1");
    expect(community).toMatchObject({ name: "Mezcal Club", slug: "mezcal-ring" });
    await other.close();
  });
});
