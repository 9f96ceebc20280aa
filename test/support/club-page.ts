import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { startDemoStack } from "../../tools/local/demo-stack.ts";
import { type Serving, serve } from "../../tools/local/loopback.ts";
import { findings, useBrowser } from "./browser.ts";
import { temporaryFolder } from "./set-up.ts";

type Stack = Awaited<ReturnType<typeof startDemoStack>>;

type ClubPage = {
  /** The page of this test. */
  readonly page: Page;
  readonly stack: Stack;
  /** Another origin than the one of the stack. */
  readonly origin: string;
  /** The elements of the page. Each test begins with the line of the guide. */
  lines: string;
  readonly button: (name: string) => Locator;
  /** Signs in, as `member@example.com` by default. */
  readonly signIn: (email?: string) => Promise<void>;
  /** Creates an account for a person who has chosen a tier, and leads them to the checkout. @returns their email address */
  readonly signUp: (tier: string, check?: (step: string) => Promise<void>, email?: string) => Promise<string>;
  /** Accessibility findings of the page, and whether it is wider than the window. */
  readonly check: (step: string) => Promise<void>;
};

/** Window sizes and colour schemes in which the views of the element are tested. */
export const windows = [
  [390, "dark"],
  [1366, "light"],
] as const;

const styles: Readonly<Record<string, string>> = {
  // axe-core takes the canvas for white in the dark, too.
  "/page.css": ":root { background: light-dark(#fff, #111) }",
  "/club.css": "odis-club { --accent: red; --odis-accent: rgb(0, 60, 120); --odis-font: monospace }",
};

/** Serves a plain page with `<odis-club>` and the strictest policy, for the tests of a file or a `describe` block. */
export function useClubPage(expected = /status of 40[0-4]/): ClubPage {
  const browser = useBrowser(expected);
  const folder = temporaryFolder();
  let stack: Stack;
  let site: Serving;
  let lines: string;
  let people = 0;

  beforeAll(async () => {
    stack = await startDemoStack({ port: 0, folder });
    const { api_url, cognito_url } = stack.local;
    const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; script-src ${api_url}; style-src 'self'; img-src data:; connect-src 'self' ${api_url} ${cognito_url}`;
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
${lines}</main>`,
    }));
  });
  afterAll(async () => {
    await site.close();
    await stack.stop();
  });
  beforeEach(() => {
    lines = '<odis-club community="mezcal-circle"></odis-club>';
  });

  const button = (name: string) => browser.page.getByRole("button", { name, exact: true });
  const label = (name: string) => browser.page.getByLabel(name);
  return {
    get page() {
      return browser.page;
    },
    get stack() {
      return stack;
    },
    get origin() {
      return site.url.replace("127.0.0.1", "localhost");
    },
    get lines() {
      return lines;
    },
    set lines(text) {
      lines = text;
    },
    button,
    async signIn(email = "member@example.com") {
      await button("Sign in").click();
      await label("E-mail").fill(email);
      await label("Password").fill("Odis-local-1");
      await button("Sign in").click();
      await button("My account").waitFor();
    },
    async signUp(tier, check = async () => {}, email = `club${people++}@example.com`) {
      await button(`Join ${tier}`).click();
      await label("First name").fill("Rosa");
      await label("Last name").fill("Blanca");
      await label("E-mail").fill(email);
      await label("Password").fill("Rosa-likes-agave-1");
      await check("sign-up");
      await button("Create account").click();
      await label("Code of six digits").fill("000000");
      await check("code");
      await button("Confirm").click();
      return email;
    },
    async check(step) {
      const overflow = await browser.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      expect([step, ...(await findings(browser.page)), overflow]).toEqual([step, 0]);
    },
  };
}
