import { describe, expect, it } from "vitest";
import type { ApiKeyPage } from "../../client/schema.ts";
import { ask, button, dialog, done, hasConsole, local, open, useConsole } from "./console.ts";
import { enterTime, losing, press } from "./money.ts";

const api = "/odis/v1/communities/1/api_keys";
const path = "#/communities/1/api-keys";

const statusWith = async (key: string, resource: string): Promise<number> => {
  const response = await fetch(`${local().api_url}/odis/v1/communities/1/${resource}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return response.status;
};

describe.skipIf(!hasConsole)("API keys in the console, in Chromium", () => {
  const browser = useConsole();

  it("an owner creates a key whose response was lost once, sees it once, and revokes it", async () => {
    const page = await open(browser.page, "owner", path);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(page, "Create a key").click();
    await press(page, "Create the key");
    await dialog(page).getByText("Enter a name.").waitFor();
    await dialog(page).getByLabel("Name").fill("Shop");
    await dialog(page)
      .getByRole("radio", { name: /^Support/ })
      .check();
    await dialog(page).getByLabel("Expires").fill("2020-01-01T00:00");
    await press(page, "Create the key");
    await dialog(page).locator(".error").waitFor();
    await dialog(page).getByLabel("Expires").fill("");
    const { keys, restore } = await losing(page, "**/communities/1/api_keys", "after");
    await press(page, "Create the key");
    await dialog(page).getByText("The server cannot be reached.").waitFor();
    await restore();
    await press(page, "Create the key");
    await dialog(page).getByText("Copy the key now. It is never shown again.").waitFor();
    const key = await dialog(page).locator(".secret code").innerText();
    await press(page, "Copy the key");
    await dialog(page).getByText("The key was copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key);
    expect(keys.size).toBe(1);
    await press(page, "Done");
    const { data } = await ask<ApiKeyPage>("owner", "GET", api);
    expect(data.filter(({ name }) => name === "Shop")).toMatchObject([{ role: "support", hint: key.slice(-4) }]);
    expect([await statusWith(key, "members"), await statusWith(key, "team")]).toEqual([200, 403]);

    await page.getByText(`ends in ${key.slice(-4)}`).waitFor();
    await button(page, "Revoke Shop").click();
    await press(page, "Revoke the key");
    await done(page, "Shop was revoked.");
    expect(await statusWith(key, "members")).toBe(401);
  });

  it("an expiry with a year of five digits has an error at its field", async () => {
    const page = await open(browser.page, "owner", path);
    await button(page, "Create a key").click();
    await dialog(page).getByLabel("Name").fill("Far future");
    await enterTime(page, "expires_at", "20276-11-21T14:05");
    await press(page, "Create the key");
    await dialog(page).locator(".error").getByText("Enter a date and a time.").waitFor();
    expect(await dialog(page).locator(".error").count()).toBe(1);
  });
});
