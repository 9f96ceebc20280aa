import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import type { Member } from "../../client/schema.ts";
import { totp } from "../../tools/local/cognito/totp.ts";
import { people } from "../../tools/local/demo/demo.ts";
import { startDemoStack } from "../../tools/local/demo-stack.ts";
import { adminTotpSecret, password } from "../../tools/local/users.ts";

type Who = keyof typeof people;

/** The demo stack with its console, for the tests of a file. */
export function useConsole() {
  let folder: string;
  let stack: Awaited<ReturnType<typeof startDemoStack>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "odis-console-"));
    stack = await startDemoStack({ port: 0, folder });
  });
  afterAll(async () => {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Asks the API as a demo user. */
  async function ask<T>(who: Who, method: string, path: string, body?: object): Promise<T> {
    const { api_url, tokens } = stack.local;
    const headers = { authorization: `Bearer ${tokens[who]}`, "content-type": "application/json" };
    const response = await fetch(api_url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** A member of the first community. @throws Error if there is none like it */
  async function memberWho(isLike: (member: Member) => boolean): Promise<Member> {
    const { data } = await ask<{ data: Member[] }>("owner", "GET", "/odis/v1/communities/1/members?per=100");
    const member = data.find(isLike);
    if (!member) throw new Error("The demo has no member like this");
    return member;
  }

  /** Opens a page of the console as somebody who signs in. */
  async function open(page: Page, who: Who, path = "#/"): Promise<Page> {
    await page.goto(`${stack.local.api_url}/console${path}`);
    await page.getByLabel("Email").fill(`${people[who].username}@example.com`);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    if (who === "admin") {
      await page.getByLabel("Code of your authenticator app").fill(totp(adminTotpSecret, Date.now()));
      await page.getByRole("button", { name: "Continue" }).click();
    }
    await page.locator(".person").waitFor();
    return page;
  }

  return {
    ask,
    memberWho,
    open,
    get local() {
      return stack.local;
    },
  };
}

/** What the browser reports of requests that are meant to be refused. */
export const refusals = /status of (?:4(?:0[0-49]|12|22)|500)/;

/** Another page of the same browser. @throws Error if the browser is gone */
export async function newTab(page: Page): Promise<Page> {
  const tab = await page.context().browser()?.newPage();
  if (!tab) throw new Error("The page has no browser");
  return tab;
}

export const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name });
export const dialog = (page: Page) => page.getByRole("dialog");

/** Waits for what the console says is done, and for the dialog to have closed. */
export async function done(page: Page, text: string | RegExp): Promise<void> {
  await page.locator(".announcement").getByText(text).waitFor();
  expect(await dialog(page).count()).toBe(0);
}

/** Full name of a member, as the console shows it. */
export const fullName = ({ user }: Member): string => `${user.first_name} ${user.last_name}`;
