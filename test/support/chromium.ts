import { existsSync } from "node:fs";
import { type Browser, type BrowserServer, chromium } from "playwright-core";
import { report } from "./report.ts";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Whether there is a Chromium to test a page in; says loudly where there is none. */
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
