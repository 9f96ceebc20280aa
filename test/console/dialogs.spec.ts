import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Member } from "../../client/schema.ts";
import { faults, settled, show } from "./access.ts";
import { ask, button, dialog, hasConsole, heading, isActive, memberWho, open, useConsole } from "./console.ts";
import { api, holding, press } from "./money.ts";
import { dialogSights } from "./sights.ts";

/** The focused element, and whether it is in a dialog. */
const focus = (page: Page) =>
  page.evaluate<{ readonly isInDialog: boolean; readonly isOutside: boolean; readonly name: string }>(
    "(({ tagName, ariaLabel, textContent }, isInDialog) => ({ isInDialog, isOutside: !isInDialog && tagName !== 'BODY', name: ariaLabel ?? textContent }))(document.activeElement, document.activeElement.closest('dialog') !== null)",
  );

describe.skipIf(!hasConsole)("the dialogs of the console in Chromium", () => {
  const browser = useConsole();

  it("every dialog is accessible, and can be opened, used and closed with the keyboard", async () => {
    const { page } = browser;
    const found: string[] = [];
    let signedIn: string | undefined;
    for (const sight of await dialogSights()) {
      const { name, opener, who } = sight;
      await show(page, sight, signedIn);
      signedIn = who;
      await page.evaluate("document.querySelectorAll('.more-details').forEach((details) => (details.open = true))");
      const from = button(page, opener).first();
      await from.focus();
      const before = await focus(page);
      await page.keyboard.press("Enter");
      await dialog(page).waitFor();
      await settled(page);
      expect([name, (await focus(page)).isInDialog]).toEqual([name, true]);
      await sight.after?.(page);
      found.push(...(await faults(page, name)));
      expect([name, ...(await strayFocus(page))]).toEqual([name]);
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "detached" });
      expect([name, (await focus(page)).name]).toEqual([name, before.name]);
    }
    expect(found).toEqual([]);
  });

  it("a form that was closed while it is sent leaves the next dialog open", async () => {
    const { id, user } = await memberWho(isActive);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    const release = await holding(page, "**/block", "POST");
    await button(page, /^Block$/).click();
    await press(page, `Block ${user.first_name}`);
    await page.keyboard.press("Escape");
    await button(page, "Cancel the subscription").click();
    const comment = dialog(page).getByLabel("Comment");
    await comment.fill("Moved away");
    release();
    await page.locator(".announcement").getByText("is blocked").waitFor();
    await button(page, "Unblock").waitFor();
    expect(await comment.inputValue()).toBe("Moved away");
    await ask("owner", "DELETE", `${api}/${id}/unblock`);
  });

  it("what is typed into a form again while the closed form is sent stays", async () => {
    const { id } = await memberWho(isActive);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    const release = await holding(page, `**/members/${id}`, "PATCH");
    const edit = button(page, "Edit the notes");
    const notes = dialog(page).getByLabel("Notes about this member");
    await edit.click();
    await notes.fill("Slow");
    await press(page, "Save the notes");
    await page.keyboard.press("Escape");
    await edit.click();
    await notes.fill("Slow, and more");
    release();
    await page.locator(".announcement").getByText("The notes were saved.").waitFor();
    expect(await notes.inputValue()).toBe("Slow, and more");
    await page.keyboard.press("Escape");
    await edit.click();
    expect(await notes.inputValue()).toBe("Slow, and more");
    await dialog(page).getByText("You entered this earlier, and did not save it.").waitFor();
    expect((await ask<Member>("owner", "GET", `${api}/${id}`)).metadata.notes).toBe("Slow");
    await press(page, "Discard");
  });

  it("a list shows what a form created that was closed while it is sent", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/benefits");
    const release = await holding(page, "**/communities/1/benefits", "POST");
    await button(page, "Create a benefit").first().click();
    await dialog(page).getByLabel("Name").fill("A slow tasting");
    await press(page, "Create the benefit");
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    release();
    await page.locator(".announcement").getByText("The benefit was created.").waitFor();
    await heading(page, "A slow tasting").waitFor();
    expect(await dialog(page).count()).toBe(0);
  });
});

/** Elements outside the dialog that get the focus with Tab or Shift+Tab. */
async function strayFocus(page: Page): Promise<string[]> {
  const stops = await dialog(page).locator("input, select, textarea, button, a[href]").count();
  const reached = new Set<string>();
  const strays: string[] = [];
  for (const key of ["Tab", "Shift+Tab"])
    for (let presses = 0; presses < stops + 3; presses++) {
      await page.keyboard.press(key);
      const { isInDialog, isOutside, name } = await focus(page);
      if (isOutside) strays.push(name);
      if (isInDialog) reached.add(name);
    }
  expect(reached.size).toBeGreaterThan(0);
  return strays;
}
