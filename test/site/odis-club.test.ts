import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { clubScript } from "../../tools/build/site/club.ts";
import { startDemoStack } from "../../tools/local/demo-stack.ts";
import { type Serving, serve } from "../../tools/local/loopback.ts";
import { findings, useBrowser } from "../support/browser.ts";
import { hasBrowser } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/set-up.ts";

it("the script of <odis-club> has at most 20 kB, with preact, the client and the sign-in", async () => {
  const bytes = gzipSync(await clubScript()).length;
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(20_000);
});

it("the custom properties and slots of <odis-club> are those that the guide lists", () => {
  const guide = readFileSync("docs/guide.md", "utf8");
  const section = /^## A club in two lines$(.*?)^## /ms.exec(guide)?.[1] ?? "";
  const namesIn = (text: string, pattern: RegExp) =>
    new Set(Array.from(text.matchAll(pattern), ([, name = ""]) => name));
  const sources = ["club", "home", "loaded", "sign-up"].map((name) =>
    readFileSync(`site/club/src/${name}.tsx`, "utf8"),
  );
  const rows = Array.from(section.matchAll(/^\| (.*?) \|/gm), ([, cell]) => cell).join("\n");
  expect(namesIn(rows, /`(--odis-[\w-]+)`/g)).toEqual(
    namesIn(readFileSync("site/club/styles/club.css", "utf8"), /var\((--odis-[\w-]+)/g),
  );
  const slots = namesIn(sources.join("\n"), /<slot name="(\w+)"/g);
  expect(slots.size).toBeGreaterThan(5);
  const slotRows = section.slice(section.indexOf("| slot |"), section.indexOf("```html", section.indexOf("| slot |")));
  expect(namesIn(slotRows, /^\| `(\w+)` \|/gm)).toEqual(slots);
});

describe.skipIf(!hasBrowser("<odis-club>"))("<odis-club> on a plain page of another origin in Chromium", () => {
  const browser = useBrowser(/status of 40[0-4]/);
  const folder = temporaryFolder();
  let stack: Awaited<ReturnType<typeof startDemoStack>>;
  let site: Serving;
  let origin: string;
  let page: Page;
  /** The two lines of the guide, and what a test adds to them. */
  let club: string;
  let people = 0;

  beforeAll(async () => {
    stack = await startDemoStack({ port: 0, folder });
    const { api_url, cognito_url } = stack.local;
    const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; script-src ${api_url}; style-src 'self'; img-src data:; connect-src 'self' ${api_url} ${cognito_url}`;
    const styles: Readonly<Record<string, string>> = {
      // axe-core takes the canvas for white in the dark, too.
      "/page.css": ":root { background: light-dark(#fff, #111) }",
      "/club.css": "odis-club { --accent: red; --odis-accent: rgb(0, 60, 120); --odis-font: monospace }",
    };
    site = await serve({ port: 0, maxBodyBytes: 0 }, async ({ target }) => ({
      status: 200,
      headers: [
        ["content-type", target in styles ? "text/css" : "text/html"],
        ["content-security-policy", policy],
      ],
      body:
        styles[target] ??
        `<!doctype html><html lang="en"><title>Club</title><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css"><main><h1>My distillery</h1>
<script type="module" src="${api_url}/odis-club.js"></script>
${club}</main>`,
    }));
    // Another origin than 127.0.0.1, where the stack runs.
    origin = site.url.replace("127.0.0.1", "localhost");
  });
  afterAll(async () => {
    await site.close();
    await stack.stop();
  });

  beforeEach(() => {
    ({ page } = browser);
    club = '<odis-club community="mezcal-circle"></odis-club>';
  });

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const member = async () => {
    await button("Sign in").click();
    await page.getByLabel("E-mail").fill("member@example.com");
    await page.getByLabel("Password").fill("Odis-local-1");
    await button("Sign in").click();
    await button("My account").waitFor();
  };
  /** Accessibility findings of the page, and whether it is wider than the window. */
  async function check(step: string): Promise<void> {
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    expect([step, ...(await findings(page)), overflow]).toEqual([step, 0]);
  }

  it.each([
    [390, "light"],
    [390, "dark"],
    [1366, "light"],
    [1366, "dark"],
  ] as const)(
    "a person joins, pays, sees the receipt, cancels, takes it back, cancels again, and deletes the account: %i px, %s",
    async (width, colorScheme) => {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(`${origin}/?from=newsletter#club`);
      await button("Join Agave Friend").waitFor();
      await check("tiers");
      await button("Join Agave Friend").click();
      await page.getByLabel("First name").fill("Rosa");
      await page.getByLabel("Last name").fill("Blanca");
      await page.getByLabel("E-mail").fill(`club${people++}@example.com`);
      await page.getByLabel("Password").fill("Rosa-likes-agave-1");
      await check("sign-up");
      await button("Create account").click();
      await page.getByLabel("Code of six digits").fill("000000");
      await check("code");
      await button("Confirm").click();
      await button("Pay $10.00").click();

      await page.getByText("Welcome, Rosa! Your membership is active.").waitFor();
      expect(page.url()).toBe(`${origin}/?from=newsletter#club`);
      await check("welcome");
      await button("My account").click();
      const receipt = page.getByRole("listitem").filter({ hasText: "$10 · paid" });
      await receipt.getByRole("link", { name: "PDF" }).waitFor();
      await check("account");
      const opening = page.waitForEvent("popup");
      await receipt.getByRole("link", { name: "Receipt", exact: true }).click();
      const invoice = await opening;
      await invoice.getByText("$10.00").first().waitFor();
      await invoice.close();

      const cancel = async () => {
        await button("Cancel").click();
        await button("Cancel membership").click();
        await page.getByText(/Ends on/).waitFor();
      };
      await cancel();
      await check("canceled");
      await button("Keep membership").click();
      await page.getByText(/Renews on/).waitFor();
      await cancel();
      await page.getByText("Delete account", { exact: true }).click();
      await button("See what is deleted").click();
      await page.getByText("This cancels, now and without a refund: Agave Friend.").waitFor();
      await check("deletion");
      await button("Delete my account").click();
      await page.getByText("Your account was deleted.").waitFor();
      await button("Join Agave Friend").waitFor();
      await check("deleted");
    },
  );

  it("a page learns of access by an event, shows its own texts in slots, and gets the access token", async () => {
    club = `<odis-club community="mezcal-circle"><h2 slot="heading">Our circle</h2><p slot="visitors">Try it</p>
<p slot="members">Our chat</p></odis-club>`;
    await page.addInitScript(
      "globalThis.changes = []; addEventListener('odis-access', (event) => changes.push(event.detail.granted));",
    );
    await page.goto(origin);
    await page.getByText("Try it").waitFor();
    expect(await page.getByText("Our chat").isVisible()).toBe(false);
    expect(await page.getByText("Mezcal Circle").isVisible()).toBe(false);
    const element = "document.querySelector('odis-club')";
    expect(await page.evaluate(`${element}.token()`)).toBe(undefined);
    await member();
    await page.getByText("Our chat").waitFor();
    expect(await page.getByText("Try it").isVisible()).toBe(false);
    const token = await page.evaluate<string>(`${element}.token()`);
    const response = await fetch(`${stack.local.api_url}/odis/v1/me`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
    expect(await page.evaluate(`${element}.access.membership.access.reason`)).toBe("active");
    await button("My account").click();
    await button("Sign out").click();
    await page.getByText("Try it").waitFor();
    expect(await page.evaluate("changes")).toEqual([false, true, false]);
  });

  it("a page sets colours and fonts, also if it has properties of the names that the element uses itself", async () => {
    club = '<link rel="stylesheet" href="/club.css"><odis-club community="1"></odis-club>';
    await page.goto(origin);
    await button("Join Agave Friend").waitFor();
    const styleOf = (property: string) =>
      page.evaluate(
        `getComputedStyle(document.querySelector("odis-club").shadowRoot.querySelector("li button")).${property}`,
      );
    expect(await styleOf("backgroundColor")).toBe("rgb(0, 60, 120)");
    expect(await styleOf("fontFamily")).toBe("monospace");
  });

  it("the element is used with the keyboard, and a new view gets the focus", async () => {
    await page.goto(origin);
    await button("Sign in").waitFor();
    const focused = () => page.evaluate("document.querySelector('odis-club').shadowRoot.activeElement?.textContent");
    expect(await focused()).toBe(undefined);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Sign in");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Welcome back" }).waitFor();
    expect(await focused()).toBe("Welcome back");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Back to Mezcal Circle");
  });

  it("a link to a tier scrolls to it", async () => {
    const { tiers = [] } = stack.local.communities.find(({ slug }) => slug === "mezcal-circle") ?? {};
    await page.setViewportSize({ width: 390, height: 500 });
    await page.goto(`${origin}#tier-${tiers.at(-1)?.id}`);
    await eventually(async () => expect(await page.evaluate<number>("scrollY")).toBeGreaterThan(500));
  });

  it("a person who returns from the checkout without a session is asked to sign in", async () => {
    const { id } = stack.local.communities.find(({ slug }) => slug === "mezcal-circle") ?? {};
    await page.goto(`${origin}/?odis-club=joined-${id}`);
    await page.getByText("Sign in to see your membership.").waitFor();
    await member();
    await page.getByText("Your membership is active.").waitFor();
    expect(page.url()).toBe(`${origin}/`);
  });

  it("two clubs on a page share the session, and the attribute changes the club", async () => {
    club = `<odis-club community="mezcal-circle"></odis-club><odis-club community="nothing"></odis-club>`;
    await page.goto(origin);
    await page.getByRole("heading", { name: "There is no such community" }).waitFor();
    const [, other] = stack.local.communities;
    await page.evaluate(`document.querySelectorAll("odis-club")[1].setAttribute("community", "${other?.id}")`);
    await page.getByRole("heading", { name: String(other?.name) }).waitFor();
    await button("Sign in").first().click();
    await page.getByLabel("E-mail").fill("member@example.com");
    await page.getByLabel("Password").fill("Odis-local-1");
    await button("Sign in").first().click();
    await button("My account").nth(1).waitFor();
    expect(await button("Sign in").count()).toBe(0);
  });

  it("a page that names another API is told what was found there", async () => {
    club = `<odis-club community="1" api="${origin}"></odis-club>`;
    await page.route(`${origin}/.well-known/**`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<html>" }),
    );
    await page.goto(origin);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("is not Odis: 200 text/html");
    club = "<odis-club></odis-club>";
    await page.goto(origin);
    await page.getByRole("heading", { name: "There is no such community" }).waitFor();
  });
});
