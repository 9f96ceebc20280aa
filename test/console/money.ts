import type { Page } from "playwright-core";
import { dialog } from "./console.ts";

/** Path of the API for the members of the demo community. */
export const api = "/odis/v1/communities/1/members";

/**
 * Aborts every matching request of all tabs, after its effect or before it is sent.
 *
 * @returns the idempotency keys that were sent, and a function that ends the aborts
 */
export async function losing(page: Page, url: string, when: "after" | "before") {
  const keys = new Set<string | undefined>();
  // The client retries a lost request without waits.
  await page.evaluate("Math.random = () => 0");
  await page.context().route(url, async (route) => {
    keys.add(route.request().headers()["idempotency-key"]);
    if (when === "after") await route.fetch();
    await route.abort();
  });
  return { keys, restore: () => page.context().unroute(url) };
}

export const press = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true }).click();
export const close = async (page: Page): Promise<void> => {
  await press(page, "Close");
  await dialog(page).waitFor({ state: "detached" });
};

/** Sends a form whose requests have their effect, and whose answers are lost. */
export async function lose(page: Page, submit: string, url: string): Promise<void> {
  const { restore } = await losing(page, url, "after");
  await press(page, submit);
  await dialog(page).getByText("The server cannot be reached.").waitFor();
  await restore();
}

/** Enters a time that the browser's own control may not offer into the field of this name in the form. */
export const enterTime = (page: Page, name: string, time: string): Promise<void> =>
  page.evaluate(`((input) => {
    input.value = "${time}";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  })(document.querySelector('dialog [name="${name}"]'))`);

/** Holds every matching request of a page until it is released. */
export async function holding(page: Page, url: string, method: string) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (route.request().method() === method) await promise;
    await route.continue();
  });
  return release;
}
