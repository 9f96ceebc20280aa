import { existsSync } from "node:fs";
import { type Browser, type BrowserServer, chromium } from "playwright-core";
import { report } from "./report.ts";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Whether Chromium is available for tests of pages. Prints a warning if not. */
export function hasBrowser(what: string): boolean {
  const isThere = existsSync(executablePath);
  if (!isThere)
    report(`NOT TESTED: ${what}, as there is no ${executablePath}. Install Debian's chromium, or set CHROMIUM.`);
  return isThere;
}

const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"].concat([
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]);

export const launch = (): Promise<Browser> => chromium.launch({ executablePath, args });

/** A Chromium that several processes can use. */
export const launchServer = (): Promise<BrowserServer> => chromium.launchServer({ executablePath, args });
