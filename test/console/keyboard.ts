import type { Page } from "playwright-core";

/** Presses Tab until an element with this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<string>(
      "(({ ariaLabel, labels, textContent }) => ariaLabel ?? labels?.[0]?.textContent ?? textContent)(document.activeElement).trim()",
    );
    if (focused.startsWith(name)) return;
  }
  throw new Error(`The keyboard does not reach ${name}`);
}
