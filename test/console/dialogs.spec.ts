import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { faults, settled, show } from "./access.ts";
import { button, dialog, hasConsole, useConsole } from "./console.ts";
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
