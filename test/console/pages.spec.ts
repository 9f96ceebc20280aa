import { globSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { people } from "../../tools/local/demo/people.ts";
import { password } from "../../tools/local/users.ts";
import { eventually } from "../support/eventually.ts";
import { faults, settled, show } from "./access.ts";
import { accounts, ask, button, hasConsole, heading, local, open, setPassword, useConsole } from "./console.ts";
import { pageSights, signInSteps } from "./sights.ts";

it("the console has at most 120 kB, compressed", () => {
  const files = globSync("dist/site/assets/console*");
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(120_000);
});

describe.skipIf(!hasConsole)("the pages of the console in Chromium", () => {
  const browser = useConsole();

  it("every page is accessible, on a desktop or a phone, in light and dark colors", async () => {
    const { page } = browser;
    const found: string[] = [];
    let signedIn: string | undefined;
    for (const sight of await pageSights()) {
      await show(page, sight, signedIn);
      signedIn = sight.who;
      await sight.after?.(page);
      await settled(page);
      found.push(...(await faults(page, sight.name)));
    }
    expect(found).toEqual([]);
  });

  it("every step of signing in is accessible, on a desktop or a phone, in light and dark colors", async () => {
    const { page } = browser;
    await page.goto(`${local().api_url}/console`);
    const found: string[] = [];
    for (const { name, to } of signInSteps) {
      await to(page);
      found.push(...(await faults(page, name)));
    }
    expect(found).toEqual([]);
  });

  it("a wrong password is refused, and is not reported as an ended session", async () => {
    const { page } = browser;
    await page.goto(`${local().api_url}/console`);
    await page.getByLabel("Email").fill("owner@example.com");
    await page.getByLabel("Password").fill("wrong");
    await button(page, "Sign in").click();
    await page.getByRole("alert").getByText("The email address or password is incorrect.").waitFor();
    expect(await page.getByText("Your session has ended").count()).toBe(0);
  });

  it("a person whose password has to be set again sets it with the code that was emailed", async () => {
    const { page } = browser;
    const { cognito_url, api_url } = local();
    const headers = { "access-control-allow-origin": "*" };
    const json = { __type: "PasswordResetRequiredException", message: "Password reset required for the user" };
    await page.route(`${cognito_url}/**`, (route) =>
      route.request().headers()["x-amz-target"]?.endsWith(".InitiateAuth")
        ? route.fulfill({ status: 400, headers, json })
        : route.continue(),
    );
    await page.goto(`${api_url}/console`);
    await page.getByLabel("Email").fill("stranger@example.com");
    await page.getByLabel("Password").fill("Odis-local-1");
    await button(page, "Sign in").click();
    await heading(page, "Choose a new password").waitFor();
    await page.getByText("Set it with the code that was emailed to you.").waitFor();
    expect(await faults(page, "password reset required")).toEqual([]);
  });

  it.each(["forgot the password of", "signs up again to", "signs in to"])(
    "a person who %s an account that was never confirmed confirms it, sets a new password, and is signed in",
    async (way) => {
      const { page } = browser;
      const email = `${way.replaceAll(" ", "-")}@example.com`;
      await accounts().signUp(email, "Strangers-1234");
      await page.goto(`${local().api_url}/console`);
      if (way.startsWith("forgot")) await button(page, "Forgot your password?").click();
      if (way.startsWith("signs up")) await button(page, "Create an account").click();
      await page.getByLabel("Email").fill(email);
      if (!way.startsWith("forgot")) await page.getByLabel("Password").fill(password);
      if (way.startsWith("signs up")) {
        await page.getByLabel("First name").fill("Nora");
        await page.getByLabel("Last name").fill("Neu");
      }
      await page.locator('[type="submit"]').click();
      await heading(page, "Check your email").waitFor();
      await page.getByLabel("Code from the email").fill("000000");
      await button(page, "Confirm").click();
      await page.getByText("Your account is confirmed. Choose a new password.").waitFor();
      await setPassword(page);
      expect(await accounts().signIn(email, "Odis-local-2")).toMatchObject({ status: "signed_in" });
    },
  );

  it("a person who was invited after an unproven sign-up sets the password with a code, and is signed in", async () => {
    const { page } = browser;
    const email = "unproven@example.com";
    await accounts().signUp(email, password);
    await accounts().confirmSignUp(email, "000000");
    const invitation = { email, role: "viewer" };
    await ask("owner", "POST", "/odis/v1/communities/1/invitations", { invitation });
    await page.goto(`${local().api_url}/console`);
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await button(page, "Sign in").click();
    await page.getByText("Set it with the code that was emailed to you.").waitFor();
    await setPassword(page);
    expect(await accounts().signIn(email, "Odis-local-2")).toMatchObject({ status: "signed_in" });
  });

  it("a person who has to enter the code of an authenticator app can go back to the sign-in", async () => {
    const { page } = browser;
    await page.goto(`${local().api_url}/console`);
    await page.getByLabel("Email").fill(`${people.admin.username}@example.com`);
    await page.getByLabel("Password").fill(password);
    await button(page, "Sign in").click();
    await heading(page, "One more step").waitFor();
    expect(await faults(page, "challenge")).toEqual([]);
    await button(page, "Back").click();
    await heading(page, "Sign in").waitFor();
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

  it("on a phone, the links at the bottom lead to every page of a community, and the current one is visible", async () => {
    const { page } = browser;
    await page.setViewportSize({ width: 390, height: 844 });
    const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
    const current = page.locator('.areas [aria-current="page"]');
    const names = [
      "Overview",
      "Members",
      "Payments",
      "Tiers",
      "Benefits",
      "Activity",
      "Team",
      "Event destinations",
      "API keys",
      "Settings",
    ];
    const isShown = async (name: string): Promise<void> => {
      await heading(page, name).first().waitFor();
      await eventually(async () => {
        const { x, width } = (await current.boundingBox()) ?? { x: -1, width: 0 };
        expect([await current.innerText(), x >= 0 && x + width <= 390]).toEqual([name, true]);
      });
    };
    await open(page, "owner", "#/communities/1/settings");
    await isShown("Settings");
    for (const name of names) {
      await links.filter({ hasText: name }).click();
      await isShown(name);
    }
    expect(await links.allInnerTexts()).toEqual(names);
  });

  it("a network failure while the console loads does not sign anybody out", async () => {
    const { page } = browser;
    await open(page, "owner", "#/communities/1/tiers");
    await heading(page, "Tiers").waitFor();
    await page.route(`${local().cognito_url}/**`, (route) => route.abort());
    await page.reload();
    await page.getByText("Could not load your account").waitFor();
    expect(await heading(page, "Sign in").count()).toBe(0);
    await page.unroute(`${local().cognito_url}/**`);
    await button(page, "Try again").click();
    await heading(page, "Tiers").waitFor();
  });

  it("a person who has signed in can load their account again if that failed, without signing in again", async () => {
    const { page } = browser;
    await page.goto(`${local().api_url}/console#/communities/1/tiers`);
    await page.route("**/odis/v1/me", (route) => route.abort());
    await page.getByLabel("Email").fill("owner@example.com");
    await page.getByLabel("Password").fill(password);
    await button(page, "Sign in").click();
    await page.getByText("Could not load your account").waitFor();
    await page.unroute("**/odis/v1/me");
    await button(page, "Try again").click();
    await heading(page, "Tiers").waitFor();
    expect(await page.getByLabel("Password").count()).toBe(0);
  });

  it("an access token that the API rejects as expired is refreshed, whatever the clock of the device says", async () => {
    const { page } = browser;
    await open(page, "owner", "#/communities/1/tiers");
    await heading(page, "Tiers").waitFor();
    let rejected: string | undefined;
    await page.route("**/odis/v1/**", (route) => {
      const { authorization } = route.request().headers();
      rejected ??= authorization;
      if (authorization !== rejected) return route.continue();
      const body = JSON.stringify({ code: "expired_token", status: 401 });
      return route.fulfill({ status: 401, contentType: "application/problem+json", body });
    });
    await page.getByRole("link", { name: "Benefits" }).click();
    await button(page, "Create a benefit").waitFor();
    expect(await heading(page, "Sign in").count()).toBe(0);
  });
});
