import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, inject } from "vitest";
import { createSignIn, type SignIn } from "../../client/odis.ts";
import type { Charge, Member, PaymentHistoryPage } from "../../client/schema.ts";
import { totp } from "../../tools/local/cognito/totp.ts";
import { people } from "../../tools/local/demo/people.ts";
import { adminTotpSecret, password } from "../../tools/local/users.ts";
import { useBrowser } from "../support/browser.ts";

export type Who = keyof typeof people;

const shared = inject("console");

/** Whether there is a Chromium to test the console in. */
export const hasConsole = shared !== undefined;

function running() {
  if (!shared) throw new Error("There is no browser");
  return shared;
}

/** The local stack that all files share. */
export const local = () => running().local;

/** A new page for each test, in the browser that all files share. */
export const useConsole = () => useBrowser(refusals, () => chromium.connect(running().browser));

/** Errors that the browser reports for requests that are expected to fail. */
const refusals = /status of (?:4(?:0[0-49]|12|22|29)|500)|net::ERR_FAILED/;

/** Calls the API as a demo user. */
export async function ask<T>(who: Who, method: string, path: string, body?: object): Promise<T> {
  const { api_url, tokens } = local();
  const headers = { authorization: `Bearer ${tokens[who]}`, "content-type": "application/json" };
  const response = await fetch(api_url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** All objects of a list, from all its pages. The path has no query, or one without a page size. */
export async function all<T>(who: Who, path: string): Promise<readonly T[]> {
  const found: T[] = [];
  const start = `${path}${path.includes("?") ? "&" : "?"}per=100`;
  for (let next: string | undefined = start; next; ) {
    const page: { data: T[]; next_cursor: string | null } = await ask(who, "GET", next);
    found.push(...page.data);
    next = page.next_cursor ? `${start}&cursor=${encodeURIComponent(page.next_cursor)}` : undefined;
  }
  return found;
}

/** Members of the first community that match a query. Default: all. */
export const members = (query = ""): Promise<readonly Member[]> =>
  all("owner", `/odis/v1/communities/1/members?${query}`);

/** A matching member of the first community. @throws Error if there is none */
export async function memberWho(isLike: (member: Member) => boolean): Promise<Member> {
  const member = (await members()).find(isLike);
  if (!member) throw new Error("The demo has no member like this");
  return member;
}

/** Whether the member is in good standing: active, not blocked, and not about to leave. */
export const isActive = ({ status, is_blocked, cancel_at }: Member): boolean =>
  status === "active" && !is_blocked && cancel_at === null;

/** An active member whose last payment can be refunded in full, with that payment. */
export async function paidMember(): Promise<{ readonly member: Member; readonly charge: Charge }> {
  for (const member of (await members()).filter(isActive)) {
    const path = `/odis/v1/communities/1/members/${member.id}/payment_history`;
    const { data } = await ask<PaymentHistoryPage>("owner", "GET", path);
    const [charge] = data[0]?.charges ?? [];
    if (!charge || charge.disputed || charge.amount_cents === 0) continue;
    if (charge.refundable_cents === charge.amount_cents) return { member, charge };
  }
  throw new Error("The demo has no member with a payment to refund");
}

/** Signs in and opens a page of the console. The manager and the support person are in the team of the first community. */
export async function open(page: Page, who: Who | "manager" | "support", path = "#/"): Promise<Page> {
  const username = who === "manager" || who === "support" ? who : people[who].username;
  await page.goto(`${local().api_url}/console${path}`);
  await page.getByLabel("Email").fill(`${username}@example.com`);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  if (who === "admin") {
    await page.getByLabel("Code from your authenticator app").fill(totp(adminTotpSecret, Date.now()));
    await page.getByRole("button", { name: "Continue" }).click();
  }
  await page.locator(".person").waitFor();
  return page;
}

/** Opens the console with the stored session of an admin. */
export async function resumeAdmin(page: Page): Promise<void> {
  const token = JSON.stringify(running().adminSession);
  await page.evaluate(`sessionStorage.setItem("odis.console.refresh-token", ${token})`);
  await page.goto(`${local().api_url}/console#/account`);
  await page.locator(".person").waitFor();
}

/** Sign-up and sign-in at the pool of the local stack. */
export function accounts(): SignIn {
  const { cognito_url: endpoint, environment } = local();
  return createSignIn({ endpoint, userPoolId: environment.USER_POOL_ID, clientId: environment.CLIENT_ID });
}

/** Sets a new password with the code that was sent, which signs in. */
export async function setPassword(page: Page): Promise<void> {
  await heading(page, "Choose a new password").waitFor();
  await page.getByLabel("Code from the email").fill("000000");
  await page.getByLabel("New password").fill("Odis-local-2");
  await button(page, "Set the password").click();
  await page.locator(".person").waitFor();
}

/** Another page of the same browser, with a language or that of the machine. @throws Error if the browser is closed */
export async function newTab(page: Page, options: BrowserContextOptions = {}): Promise<Page> {
  const tab = await page.context().browser()?.newPage(options);
  if (!tab) throw new Error("The page has no browser");
  tab.setDefaultTimeout(100_000);
  return tab;
}

export const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name });
export const dialog = (page: Page) => page.getByRole("dialog");

/**
 * Waits for the console's announcement of a completed action, and for the dialog to close.
 *
 * @throws Error with the text of the page
 */
export async function done(page: Page, text: string | RegExp): Promise<void> {
  const announced = page.locator(".announcement").getByText(text);
  try {
    await announced.waitFor();
  } catch (cause) {
    const focused = await page.evaluate<string>("document.activeElement.outerHTML.slice(0, 300)");
    const shown = await ((await dialog(page).count()) > 0 ? dialog(page) : page.locator("body")).innerText();
    throw new Error(`The console does not say “${text}”. The focus is at ${focused}. It shows:\n${shown}`, { cause });
  }
  expect(await dialog(page).count()).toBe(0);
}

/** Full name of a member, as the console shows it. */
export const fullName = ({ user }: Member): string => `${user.first_name} ${user.last_name}`;

/** `$45.00` */
export const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;
