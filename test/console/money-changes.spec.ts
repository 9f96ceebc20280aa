import { describe, expect, it } from "vitest";
import type { Member } from "../../client/schema.ts";
import { ask, button, dialog, done, hasConsole, isActive, memberWho, open, useConsole } from "./console.ts";
import { api, press } from "./money.ts";

describe.skipIf(!hasConsole)("changes of a membership in the console, in Chromium", () => {
  const browser = useConsole();

  it("an owner changes a member's tier for the next period, sees when, and drops the change again", async () => {
    const { id, membership_tier } = await memberWho(
      (member) => isActive(member) && member.interval === "month" && member.membership_tier.name === "Barrel Owner",
    );
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await button(page, "Change tier or interval").click();
    await dialog(page).getByText("Nothing is charged now.").waitFor();
    await press(page, "Change the membership");
    await dialog(page).getByText("Choose a tier.").waitFor();
    await dialog(page).getByLabel("Change to").selectOption({ label: "Palenque Patron, $900 a year" });
    await press(page, "Change the membership");
    await done(page, "The membership was changed, or will change at the end of the period.");
    await page.getByText(/^Palenque Patron, \$900 a year, on \w+ \d+, \d{4}$/).waitFor();
    await page.getByText(/^Change scheduled: Palenque Patron, by the year, from/).waitFor();
    expect(await ask<Member>("owner", "GET", `${api}/${id}`)).toMatchObject({
      membership_tier,
      scheduled_change: { tier: { name: "Palenque Patron" }, interval: "year", price_cents: 90_000 },
    });

    await button(page, "Drop the scheduled change").click();
    await press(page, "Drop the change");
    await done(page, "The scheduled change was dropped.");
    await button(page, "Drop the scheduled change").waitFor({ state: "detached" });
    expect(await ask<Member>("owner", "GET", `${api}/${id}`)).toMatchObject({ scheduled_change: null });
  });

  it("a change of the tier says that the tiers could not be loaded, and loads them again", async () => {
    const { id } = await memberWho((member) => isActive(member) && member.interval === "month");
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await page.route("**/communities/1/tiers?*", (route) => route.abort());
    await button(page, "Change tier or interval").click();
    await dialog(page).getByText("Could not load the tiers").waitFor();
    await press(page, "Close");
    await dialog(page).waitFor({ state: "detached" });
    await button(page, "Change tier or interval").click();
    await dialog(page).getByText("Could not load the tiers").waitFor();
    await page.unroute("**/communities/1/tiers?*");
    await press(page, "Try again");
    await dialog(page).getByLabel("Change to").waitFor();
    expect(await dialog(page).getByLabel("Change to").locator("option").count()).toBeGreaterThan(1);
  });

  it("an owner sells a tier by the year too, and removes the yearly price again", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/tiers");
    const card = page.locator("li", { has: page.getByRole("heading", { name: "Ensamble Society" }) });
    await card.getByRole("button", { name: /^Change price/ }).click();
    await dialog(page).getByLabel("Price per year").fill("450");
    await press(page, "Change price");
    await card.getByText("$45 a month or $450 a year").waitFor();
    await card.getByRole("button", { name: /^Change price/ }).click();
    await dialog(page).getByLabel("Price per year").fill("");
    await press(page, "Change price");
    await card.getByText("$45 a month", { exact: true }).waitFor();
    expect(await card.getByText("a year").count()).toBe(0);
  });
});
