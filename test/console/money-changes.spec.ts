import { describe, expect, it } from "vitest";
import type { Member, Tier, TierPage } from "../../client/schema.ts";
import { ask, button, dialog, done, hasConsole, isActive, memberWho, open, useConsole } from "./console.ts";
import { api, losing, press } from "./money.ts";

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

  it("an action without fields whose answer was lost is done when the person presses its button again", async () => {
    const { id, membership_tier } = await memberWho(
      (one) => isActive(one) && one.interval === "month" && one.scheduled_change === null,
    );
    const tiers = "/odis/v1/communities/1/tiers";
    const { data } = await ask<TierPage>("owner", "GET", tiers);
    const other = data.find((tier) => tier.id !== membership_tier.id && tier.monthly_price_dollars > 0);
    await ask("owner", "POST", `${api}/${id}/change_subscription`, { tier_id: other?.id, interval: "month" });
    await ask("owner", "POST", `${api}/${id}/block`, {});
    const tier = await ask<Tier>("owner", "POST", tiers, { tier: { name: "Short Lived", monthly_price_dollars: 9 } });
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    const act = async (opener: string, submit: string | RegExp, url: string, announced: string | RegExp) => {
      await button(page, opener).click();
      await dialog(page).getByRole("button", { name: submit }).waitFor();
      const { restore } = await losing(page, url, "after");
      await dialog(page).getByRole("button", { name: submit }).click();
      await dialog(page).getByText("The server cannot be reached.").waitFor();
      await restore();
      await dialog(page).getByRole("button", { name: submit }).click();
      await done(page, announced);
    };
    await act("Unblock", /^Unblock/, "**/unblock", /is no longer blocked\.$/);
    await act(
      "Drop the scheduled change",
      "Drop the change",
      "**/scheduled_change",
      "The scheduled change was dropped.",
    );
    expect(await ask<Member>("owner", "GET", `${api}/${id}`)).toMatchObject({
      is_blocked: false,
      scheduled_change: null,
    });
    await page.goto(page.url().replace(/#.*/, "#/communities/1/tiers"));
    await act("Archive Short Lived", "Archive the tier", `**/tiers/${tier.id}`, "Short Lived was archived.");
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
