import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Benefit, BenefitPage, BrandPage, Community, Series, Tier, Transaction } from "../../client/schema.ts";
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
  resumeAdmin,
  useConsole,
} from "./console.ts";
import { close, losing, press } from "./money.ts";

/** Widths of the pictures themselves. 0 for those that are not loaded. */
const widths = (images: readonly unknown[]) => images.map((image) => (image as { naturalWidth: number }).naturalWidth);

/** The response to a transfer to a person who is blocked in the community. */
const blockedOwner = {
  status: 422,
  contentType: "application/problem+json",
  json: {
    code: "validation_failed",
    status: 422,
    errors: [{ pointer: "/community/owner_id", code: "not_allowed", message: "must not be blocked in the community" }],
  },
};

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
    for (const { user } of overdue) expect(letter).toContain(user.email);
    await needs.getByText("2 invitations to the team not accepted yet").waitFor();
    await needs.getByRole("link", { name: `${overdue.length} payments overdue` }).click();
    await page.getByText(`${overdue.length} members`, { exact: true }).waitFor();
    const shown = await page.locator(".row-link").allInnerTexts();
    expect(shown.toSorted()).toEqual(overdue.map(fullName).toSorted());
  });

  it("the overview asks for the repair of a failing event destination, but not of one that somebody has disabled", async () => {
    const { page } = browser;
    await page.route("**/odis/v1/communities/1/event_destinations?*", async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as { data: object[] };
      const failing = { ...list.data[0], failing_since: "2026-11-20T00:00:00.000Z", disabled_reason: null };
      const data = [
        { ...failing, id: 901, description: "Watched room", status: "enabled" },
        { ...failing, id: 902, description: "Closed room", status: "disabled" },
      ];
      await route.fulfill({ response, json: { ...list, data } });
    });
    await open(page, "owner", "#/communities/1");
    const needs = page.getByRole("region", { name: "Needs you" });
    await needs.getByRole("link", { name: "The event destination Watched room fails" }).waitFor();
    expect(await needs.getByText("Closed room").count()).toBe(0);
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

  it("the first steps offer the link to join only if there is a page to join and a tier that is not archived", async () => {
    const { page } = browser;
    let change: { readonly joinUrl?: null; readonly status?: "archived" } = {};
    await page.route("**/.well-known/odis.json", async (route) => {
      const response = await route.fetch();
      const { join_url, ...others } = (await response.json()) as { join_url: string };
      await route.fulfill({ response, json: { ...others, ...("joinUrl" in change ? {} : { join_url }) } });
    });
    await page.route("**/odis/v1/communities/1/stats", async (route) => {
      const response = await route.fetch();
      const stats = (await response.json()) as { by_status: Record<string, number> };
      const by_status = Object.fromEntries(Object.keys(stats.by_status).map((status) => [status, 0]));
      await route.fulfill({ response, json: { ...stats, by_status } });
    });
    await page.route("**/odis/v1/communities/1/tiers?*", async (route) => {
      const response = await route.fetch();
      const { data, ...others } = (await response.json()) as { data: Tier[] };
      await route.fulfill({ response, json: { ...others, data: data.map((tier) => ({ ...tier, ...change })) } });
    });
    await open(page, "owner", "#/communities/1");
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByRole("link", { name: "Share the link to join a tier" }).waitFor();
    change = { joinUrl: null };
    await page.reload();
    await steps.getByRole("link", { name: "Check your tiers" }).waitFor();
    change = { status: "archived" };
    await page.reload();
    await steps.getByRole("link", { name: "Create a tier" }).waitFor();
    expect(await steps.getByRole("link", { name: "Share the link to join a tier" }).count()).toBe(0);
  });

  it("the tiers of a benefit say that the tiers could not be loaded, and load them again", async () => {
    const { page } = browser;
    const tiers = "**/odis/v1/communities/1/tiers?*";
    await page.route(tiers, (route) => route.fulfill({ status: 500, json: { code: "internal", status: 500 } }));
    await open(page, "owner", "#/communities/1/benefits");
    await page.evaluate("Math.random = () => 0");
    await button(page, /^Tiers of /)
      .first()
      .click();
    await dialog(page).getByText("Could not load the tiers").waitFor();
    await page.unroute(tiers);
    await dialog(page).getByRole("button", { name: "Try again" }).click();
    await dialog(page).getByLabel("Agave Friend").waitFor();
    expect(await dialog(page).getByText("Could not load the tiers").count()).toBe(0);
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

  it("nothing is moved if either of the two benefits was changed in the meantime", async () => {
    const benefits = async () => (await ask<BenefitPage>("owner", "GET", "/odis/v1/communities/1/benefits")).data;
    const page = await open(browser.page, "owner", "#/communities/1/benefits");
    const before = await benefits();
    const [first, second] = before;
    await button(page, `Move ${second?.name} up`).waitFor();
    await ask("owner", "PATCH", `/odis/v1/benefits/${first?.id}`, { benefit: { description: "Changed" } });
    await button(page, `Move ${second?.name} up`).click();
    await page.getByText("This was changed in the meantime. Nothing was moved.").waitFor();
    const positions = (list: readonly Benefit[]) => list.map(({ id, position }) => [id, position]);
    expect(positions(await benefits())).toEqual(positions(before));
    await ask("owner", "PATCH", `/odis/v1/benefits/${first?.id}`, { benefit: { description: first?.description } });
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

  it("a free tier has no free trial", async () => {
    const { page } = browser;
    await page.route("**/odis/v1/communities/1/tiers?*", async (route) => {
      const response = await route.fetch();
      const { data, ...others } = (await response.json()) as { data: Tier[] };
      const [first, ...rest] = data.map((tier) => ({ ...tier, trial_days: 14 }));
      await route.fulfill({ response, json: { ...others, data: [{ ...first, monthly_price_dollars: 0 }, ...rest] } });
    });
    await open(page, "owner", "#/communities/1/tiers");
    const trials = page.locator(".record").getByText("14-day free trial");
    await trials.first().waitFor();
    expect(await trials.count()).toBe((await page.locator(".record").count()) - 1);
  });

  it("a page of tiers whose numbers of members cannot be loaded says so, and does not say that nobody is affected", async () => {
    const { page } = browser;
    const stats = "**/odis/v1/communities/1/stats";
    await page.route(stats, (route) => route.fulfill({ status: 500, json: { code: "internal", status: 500 } }));
    await open(page, "owner", "#/communities/1/tiers");
    await page.evaluate("Math.random = () => 0");
    const count = page.locator(".record", { hasText: "Agave Friend" }).getByText("with access");
    await page.getByText("Could not load the numbers of members").waitFor();
    expect(await count.count()).toBe(0);
    await button(page, "Change price of Agave Friend").click();
    await dialog(page).getByText("Members with access keep the price they joined at.").waitFor();
    await page.keyboard.press("Escape");
    await page.unroute(stats);
    await button(page, "Try again").click();
    await count.waitFor();
    expect(Number.parseInt(await count.innerText(), 10)).toBeGreaterThan(0);
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
    await dialog(page).getByText("The team, open invitations to it and API keys end.").waitFor();
    await page.route("**/odis/v1/communities/2", (route) =>
      route.request().method() === "PATCH" ? route.fulfill(blockedOwner) : route.continue(),
    );
    await button(page, "Transfer the community").click();
    await dialog(page).getByText("Must not be blocked in the community.").waitFor();
    await page.unroute("**/odis/v1/communities/2");
    await button(page, "Transfer the community").click();
    await done(page, "The community was transferred.");
    await page.getByText("User 6", { exact: true }).waitFor();
    expect(await ask<Community>("admin", "GET", "/odis/v1/communities/2")).toMatchObject({ owner_id: 6 });
  });

  it("the search of an admin finds a community of a later page", async () => {
    const { page } = browser;
    await page.route("**/odis/v1/communities?*", async (route) => {
      const url = new URL(route.request().url());
      const isFirst = !url.searchParams.has("cursor");
      url.searchParams.delete("cursor");
      const response = await route.fetch({ url: url.href });
      const { data, ...others } = (await response.json()) as { data: Community[] };
      const json = isFirst
        ? { ...others, data: data.slice(0, 1), has_more: true, next_cursor: "next" }
        : { ...others, data: data.slice(1) };
      await route.fulfill({ response, json });
    });
    await page.goto(local().api_url);
    await resumeAdmin(page);
    await page.evaluate("void (location.hash = '#/communities')");
    const links = page.locator(".link-row");
    await links.first().waitFor();
    expect(await links.count()).toBe(1);
    const first = await links.locator("strong").innerText();
    const { data } = await ask<{ data: Community[] }>("admin", "GET", "/odis/v1/communities?per=100");
    const { name } = data.find((community) => community.name !== first) ?? { name: "" };
    await page.getByLabel("Find a community by name").fill(name);
    await links.filter({ hasText: name }).waitFor();
    await page.getByLabel("Find a community by name").fill("nothing like it");
    await page.getByText("No community found").waitFor();
  });

  it("an owner of more communities than are listed is told how to open the others", async () => {
    const { page } = browser;
    await page.route("**/odis/v1/me", async (route) => {
      const response = await route.fetch();
      const me = (await response.json()) as object;
      await route.fulfill({ response, json: { ...me, owned_communities_has_more: true } });
    });
    await open(page, "owner", "#/communities");
    const hint = page.getByText("Only the newest 100 are listed.");
    await hint.waitFor();
    expect(await hint.innerText()).toContain("#/communities/<id>");
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

  it.each([true, false])("a deletion whose response was lost is done (repeated: %s)", async (isRepeated) => {
    const [producer, other] = producers;
    const create = <T>(path: string, body: object) => ask<T>("owner", "POST", `/odis/v1/communities/1/${path}`, body);
    const tier = await create<Tier>("tiers", { tier: { name: "Lost tier", monthly_price_dollars: 5 } });
    await ask("owner", "PATCH", `/odis/v1/tiers/${tier.id}`, { tier: { status: "archived" } });
    const benefit = await create<Benefit>("benefits", { benefit: { name: "Lost benefit" } });
    await ask("owner", "POST", `/odis/v1/benefits/${benefit.id}/archive`);
    const brands = `/odis/v1/producers/${producer}/brands`;
    for (const name of ["Lost brand", "Lost link"])
      await ask("editor", "POST", brands, { brand: { name, producer_ids: [other] } });

    const page = await open(browser.page, "owner", "#/communities/1/tiers");
    const editor = await open(await newTab(page), "editor", `#/brands?producer=${producer}`);
    await editor.getByLabel("Search").fill("Lost");
    const lose = async (tab: Page, opener: string, submit: string, url: string, prepare?: () => Promise<void>) => {
      await button(tab, opener).click();
      await dialog(tab).getByRole("button", { name: submit }).waitFor();
      await prepare?.();
      const { restore } = await losing(tab, url, "after");
      await press(tab, submit);
      await dialog(tab).getByText("The server cannot be reached.").waitFor();
      await restore();
      if (isRepeated) {
        await press(tab, submit);
        await dialog(tab).waitFor({ state: "detached" });
      } else await close(tab);
      await eventually(async () => expect(await button(tab, opener).count()).toBe(0));
    };
    await lose(page, "Delete Lost tier", "Delete the tier", "**/odis/v1/tiers/*");
    await page.getByRole("link", { name: "Benefits" }).click();
    await lose(page, "Delete Lost benefit", "Delete the benefit", "**/odis/v1/benefits/*");
    await lose(editor, "Delete Lost brand", "Delete the brand", "**/brands/*");
    await lose(editor, "Producers of Lost link", "Save the producers", "**/brands/*", () =>
      dialog(editor).getByLabel("Producer ids").fill(other),
    );
    await editor.close();
  });

  it("a brand that was removed from its producer in the meantime is not reported as deleted or saved", async () => {
    const [producer, other] = producers;
    const path = `/odis/v1/producers/${producer}/brands`;
    const brand = { name: "Passed on", producer_ids: [other] };
    const { id } = await ask<{ id: string }>("editor", "POST", path, { brand });
    const elsewhere = `/odis/v1/producers/${other}/brands/${id}`;
    const page = await open(browser.page, "editor", `#/brands?producer=${producer}`);
    await page.getByLabel("Search").fill("Passed on");
    for (const [opener, submit, text] of [
      ["Producers of", "Save the producers", "Not found. It may have been deleted."],
      ["Delete", "Delete the brand", "This brand was removed from this producer in the meantime."],
    ] as const) {
      await ask("editor", "PATCH", elsewhere, { brand: { producer_ids: [producer, other] } });
      await page.reload();
      await page.getByLabel("Search").fill("Passed on");
      await button(page, `${opener} Passed on`).click();
      await dialog(page).getByRole("button", { name: submit }).waitFor();
      await ask("editor", "PATCH", elsewhere, { brand: { producer_ids: [other] } });
      const third = "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0077";
      if (opener !== "Delete") await dialog(page).getByLabel("Producer ids").fill(`${other}\n${third}`);
      await press(page, submit);
      await dialog(page).getByText(text).waitFor();
      await close(page);
    }
    expect(await ask("editor", "GET", elsewhere)).toMatchObject({ name: "Passed on", producer_ids: [other] });
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
