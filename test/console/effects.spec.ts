import { describe, expect, it } from "vitest";
import type { Benefit, Brand, Tier } from "../../client/schema.ts";
import { producers } from "../../tools/local/demo/demo.ts";
import { ask, button, dialog, hasConsole, open, useConsole } from "./console.ts";

describe.skipIf(!hasConsole)("the effects that the dialogs of the console explain, in Chromium", () => {
  const browser = useConsole();

  it("the effect on the tiers of a benefit is that on the benefit as it is, not as an old list shows it", async () => {
    const tiers = "/odis/v1/communities/1/tiers";
    const { data } = await ask<{ data: Tier[] }>("owner", "GET", `${tiers}?per=2`);
    const [first, second] = data as [Tier, Tier];
    const benefit = { name: "A shelf of their own", tier_ids: [first.id] };
    const { id } = await ask<Benefit>("owner", "POST", "/odis/v1/communities/1/benefits", { benefit });
    const page = await open(browser.page, "owner", "#/communities/1/benefits");
    await button(page, `Tiers of ${benefit.name}`).waitFor();
    await ask("owner", "POST", `/odis/v1/benefits/${id}/assign_to_tiers`, { tier_ids: [first.id, second.id] });
    await button(page, `Tiers of ${benefit.name}`).click();
    await dialog(page).getByText("No changes yet.").waitFor();
    await dialog(page).getByLabel(second.name).uncheck();
    await dialog(page).getByText(`Members of ${second.name} lose this benefit immediately.`).waitFor();
    expect(await dialog(page).getByLabel(first.name).isChecked()).toBe(true);
  });

  it("the effect on the producers of a brand is that on the brand as it is, not as an old list shows it", async () => {
    const [first, second] = producers;
    const path = `/odis/v1/producers/${first}/brands`;
    const { id, name } = await ask<Brand>("editor", "POST", path, { brand: { name: "Siete Casas" } });
    const page = await open(browser.page, "editor", `#/brands?producer=${first}`);
    await page.getByLabel("Search").fill(name);
    await button(page, `Producers of ${name}`).waitFor();
    await ask("editor", "PATCH", `${path}/${id}`, { brand: { producer_ids: [first, second] } });
    await button(page, `Producers of ${name}`).click();
    await dialog(page).getByText("No changes yet.").waitFor();
    await dialog(page).getByLabel("Producer ids").fill(first);
    await dialog(page).getByText("The brand is removed from 1 producer.").waitFor();
    for (const [opener, text] of [
      ["Rename", "The name changes for all 2 producers of the brand."],
      ["Delete", "It disappears from all 2 producers."],
    ] as const) {
      await page.keyboard.press("Escape");
      await button(page, `${opener} ${name}`).click();
      await dialog(page).getByText(text).waitFor();
    }
    expect(await ask<Brand>("editor", "GET", `${path}/${id}`)).toMatchObject({ name, producer_ids: [first, second] });
  });
});
