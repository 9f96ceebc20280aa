import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Member } from "../../client/schema.ts";
import { ask, button, dialog, hasConsole, isActive, memberWho, open, useConsole } from "./console.ts";

const pathOf = (id: number) => `/odis/v1/communities/1/members/${id}`;
const save = (page: Page) => dialog(page).getByRole("button", { name: "Save", exact: true }).click();

describe.skipIf(!hasConsole)("the custom data of a member in the console, in Chromium", () => {
  const browser = useConsole();

  /** Opens the page of a member with this custom data. */
  async function openMember(metadata: object): Promise<{ readonly page: Page; readonly id: number }> {
    const { id } = await memberWho(isActive);
    await ask("owner", "PATCH", pathOf(id), { member: { metadata } });
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await page.getByText("Details", { exact: true }).click();
    return { page, id };
  }

  async function add(page: Page, name: string, value: string): Promise<void> {
    await button(page, "Add custom data").click();
    await dialog(page).getByLabel("Name").fill(name);
    await dialog(page).getByLabel("Value").fill(value);
    await save(page);
  }

  it("a value stays the text that was entered, unless it is a number, a boolean, a list or an object without a loss", async () => {
    const { page, id } = await openMember({});
    const entered = { batch: "1.10", code: "3E10", empty: "null", discord_id: "301234567890123456" };
    for (const [name, value] of Object.entries({
      ...entered,
      bottles: "12",
      share: "0.5",
      vip: "true",
      sizes: '["M"]',
    })) {
      await add(page, name, value);
      await button(page, `Edit ${name}`).waitFor();
    }
    const { metadata } = await ask<Member>("owner", "GET", pathOf(id));
    expect(metadata).toMatchObject({ ...entered, bottles: 12, share: 0.5, vip: true, sizes: ["M"] });
  });

  it("a new value has a name that is free, and a value that the API refuses has the reason at its field", async () => {
    const { page, id } = await openMember({ shirt_size: "M", notes: "Prefers reposado" });
    const before = await ask<Member>("owner", "GET", pathOf(id));
    await add(page, "shirt_size", "L");
    await dialog(page).getByText("There is a value with this name. Close this form and edit that value.").waitFor();
    for (const name of ["notes", "blocked"]) {
      await dialog(page).getByLabel("Name").fill(name);
      await save(page);
      await dialog(page).getByText("Odis uses this name itself. Choose a different one.").waitFor();
    }
    await dialog(page).getByLabel("Name").fill("deep");
    await dialog(page).getByLabel("Value").fill("[[[[[[1]]]]]]");
    await save(page);
    await dialog(page).locator(".error").getByText("Must have at most 5 levels.").waitFor();
    const after = await ask<Member>("owner", "GET", pathOf(id));
    expect(after.metadata).toEqual(before.metadata);
  });

  it("a value whose name has spaces at its ends can be edited and removed", async () => {
    const { page, id } = await openMember({ " shoe ": "42" });
    const edit = async (value: string): Promise<void> => {
      await button(page, /^Edit\s+shoe/).click();
      await dialog(page).getByLabel("Value").fill(value);
      await save(page);
      await dialog(page).waitFor({ state: "detached" });
    };
    const stored = async () => (await ask<Member>("owner", "GET", pathOf(id))).metadata;
    await edit("43");
    expect(await stored()).toMatchObject({ " shoe ": "43" });
    await edit("");
    expect(await stored()).not.toHaveProperty([" shoe "]);
  });

  it("a person who edits a value while somebody else changes it sees the other value", async () => {
    const { page, id } = await openMember({ shirt_size: "M" });
    await button(page, "Edit shirt_size").click();
    await dialog(page).getByLabel("Value").fill("L");
    await ask("owner", "PATCH", pathOf(id), { member: { metadata: { shirt_size: "XXL" } } });
    await save(page);
    await dialog(page).getByText("XXL").waitFor();
    await button(page, "Keep the saved version").click();
    expect(await dialog(page).getByLabel("Value").inputValue()).toBe("XXL");
  });
});
