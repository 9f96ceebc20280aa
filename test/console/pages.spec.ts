import { globSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { producers } from "../../tools/local/demo/demo.ts";
import { findings, hasBrowser, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { button, dialog, done, heading, refusals, useConsole } from "./console.ts";

it("the console is at most 75 kB, compressed", () => {
  const files = globSync("dist/site/assets/console*");
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(75_000);
});

describe.skipIf(!hasBrowser("the console"))("the pages of the console in Chromium", () => {
  const browser = useBrowser(refusals);
  const { memberWho, open } = useConsole();

  /** What shuts people out of the page as it is now, and how far it is wider than the window. */
  async function faults(page: Page): Promise<string[]> {
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    return [...(await findings(page)), ...(overflow > 0 ? [`${page.url()} is ${overflow} px too wide`] : [])];
  }
  const views = [
    ["a desktop", { width: 1280, height: 800 }, "light"],
    ["a phone", { width: 390, height: 844 }, "light"],
    ["a desktop in the dark", { width: 1280, height: 800 }, "dark"],
    ["a phone in the dark", { width: 390, height: 844 }, "dark"],
  ] as const;

  it.each(views)("no page of an owner shuts anybody out on %s", async (_, size, colorScheme) => {
    const { page } = browser;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { id } = await memberWho(({ status }) => status === "past_due");
    const blocked = await memberWho(({ is_blocked }) => is_blocked);
    await open(page, "owner");
    const members = "#/communities/1/members";
    const paths: readonly (readonly [path: string, title: string | RegExp])[] = [
      ["#/communities/1", "Overview"],
      [members, "Members"],
      [`${members}?query=zzz`, "Members"],
      [`${members}/${id}`, /\w/],
      [`${members}/${blocked.id}`, /\w/],
      ["#/communities/1/tiers", "Tiers"],
      ["#/communities/1/benefits", "Benefits"],
      ["#/communities/1/activity", "Activity"],
      ["#/communities/1/settings", "Settings"],
      ["#/communities", "Communities"],
      ["#/account", "Your account"],
      ["#/nothing", "There is no such page"],
    ];
    for (const [path, title] of paths) {
      await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await eventually(async () => expect(await page.locator(".skeleton").count()).toBe(0));
      expect([path, ...(await faults(page))]).toEqual([path]);
    }
  });

  it.each(views)("no dialog shuts anybody out on %s", async (_, size, colorScheme) => {
    const { page } = browser;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { id } = await memberWho(
      ({ status, lifetime_spend_cents }) => status === "active" && lifetime_spend_cents > 0,
    );
    await open(page, "owner", `#/communities/1/members/${id}`);
    const openers = [
      /^Refund the payment/,
      "Cancel the subscription",
      "Block",
      "Edit the shipping address",
      "Edit the notes",
    ];
    for (const name of openers) {
      await button(page, name).first().click();
      await dialog(page).waitFor();
      expect([name, ...(await faults(page))]).toEqual([name]);
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "detached" });
    }
  });

  it.each(views)("neither sign-in nor the brands shut anybody out on %s", async (_, size, colorScheme) => {
    const { page } = browser;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(page, "editor", `#/brands?producer=${producers[0]}`);
    await page.getByText(/^\d+ brands$/).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.evaluate("sessionStorage.clear()");
    await page.reload();
    await heading(page, "Sign in").waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByLabel("Email").fill("editor@example.com");
    await page.getByLabel("Password").fill("wrong");
    await button(page, "Sign in").click();
    await page.getByRole("alert").waitFor();
    expect(await faults(page)).toEqual([]);
  });

  /** Presses Tab until the focus is on something with this name. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 120; presses++) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate<string>(
        "(({ ariaLabel, labels, textContent }) => ariaLabel ?? labels?.[0]?.textContent ?? textContent)(document.activeElement).trim()",
      );
      if (focused.startsWith(name)) return;
    }
    throw new Error(`The keyboard does not reach ${name}`);
  }

  it("a member is refunded with the keyboard alone, and the focus comes back to the button", async () => {
    const { page } = browser;
    const member = await memberWho(
      ({ total_refunded_cents: refunded, lifetime_spend_cents: paid, status }) =>
        refunded === 0 && paid > 0 && status === "active",
    );
    await open(page, "owner", "#/communities/1/members");
    await tabTo(page, "Search");
    await page.keyboard.type(member.user.email);
    await page.getByText("1 member", { exact: true }).waitFor();
    await tabTo(page, member.user.first_name);
    await page.keyboard.press("Enter");
    await button(page, /^Refund the payment/)
      .first()
      .waitFor();
    await tabTo(page, "Refund the payment");
    await page.keyboard.press("Enter");
    await dialog(page).waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.ariaLabel")).toMatch(/^Refund the payment/);
    await page.keyboard.press("Enter");
    await tabTo(page, "Note");
    await page.keyboard.type("By keyboard");
    await tabTo(page, "Refund");
    await page.keyboard.press("Enter");
    await done(page, "The refund was made.");
  });

  it("a reload keeps the page and the session, and a person who signs out is asked to sign in", async () => {
    const { page } = browser;
    await open(page, "owner", "#/communities/1/tiers");
    await heading(page, "Tiers").waitFor();
    await page.reload();
    await heading(page, "Tiers").waitFor();
    await button(page, "Sign out").click();
    await heading(page, "Sign in").waitFor();
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });

  it("a request that the server does not answer is not shown as done, and its repetition has the same key", async () => {
    const { page } = browser;
    const keys: (string | undefined)[] = [];
    const { id } = await memberWho(({ status, is_blocked }) => status === "active" && !is_blocked);
    await open(page, "owner", `#/communities/1/members/${id}`);
    await page.route("**/block", (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      return keys.length === 1
        ? route.fulfill({ status: 500, contentType: "application/problem+json", body: '{"code":"internal"}' })
        : route.continue();
    });
    await page.getByRole("heading", { level: 1, name: /\w/ }).waitFor();
    await button(page, "Block").click();
    const confirm = dialog(page).getByRole("button", { name: /^Block/ });
    await confirm.click();
    await dialog(page).getByText("Something went wrong at our end.").waitFor();
    await confirm.click();
    await done(page, /is blocked\./);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
  });
});
