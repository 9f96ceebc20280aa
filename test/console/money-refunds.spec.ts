import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { people } from "../../tools/local/demo/people.ts";
import { eventually } from "../support/eventually.ts";
import { faults } from "./access.ts";
import {
  ask,
  button,
  dialog,
  dollars,
  done,
  hasConsole,
  local,
  open,
  paidMember,
  resumeAdmin,
  useConsole,
} from "./console.ts";
import { api, close, losing, press } from "./money.ts";

/** Amounts of all refunds of a charge at Stripe, newest first. */
async function refundsOf(chargeId: string): Promise<readonly number[]> {
  const response = await fetch(`${local().stripe_url}/v1/refunds?charge=${chargeId}`, {
    headers: { authorization: "Bearer sk_test_local" },
  });
  const { data } = (await response.json()) as { data: { amount: number }[] };
  return data.map(({ amount }) => amount);
}

/** A tab that shares storage with the page. Opened in a separate window, because browsers slow down hidden tabs. */
async function secondTab(page: Page): Promise<Page> {
  const opened = page.evaluate('void window.open(location.href, "", "popup")');
  const [tab] = await Promise.all([page.waitForEvent("popup"), opened]);
  await tab.locator(".person").waitFor();
  return tab;
}

/** Ends the session of the tab, and opens a page of the same origin that loads nothing else. */
async function leaveConsole(page: Page): Promise<void> {
  await page.goto(`${local().api_url}/health`);
  await page.evaluate("sessionStorage.clear()");
}

const openRefund = async (page: Page): Promise<void> => {
  await button(page, /^Refund the payment of/)
    .first()
    .click();
  await dialog(page).getByLabel("Amount").waitFor();
};
describe.skipIf(!hasConsole)("refunds in the console, in Chromium", () => {
  const browser = useConsole();

  it("a refund whose response was lost is made once, despite a closed dialog, a reload and a second tab", async () => {
    const { member, charge } = await paidMember();
    const half = Math.floor(charge.amount_cents / 2);
    const page = await open(browser.page, "owner", `#/communities/1/members/${member.id}`);
    await openRefund(page);
    await dialog(page)
      .getByLabel("Amount")
      .fill(String(half / 100));
    const tab = await secondTab(page);
    await openRefund(tab);
    const { keys, restore } = await losing(page, "**/refund_charge", "after");

    await press(page, "Refund");
    await dialog(page)
      .getByText(`It is not known whether ${dollars(half)} was refunded.`)
      .waitFor();
    expect(await faults(page, "an unknown refund")).toEqual([]);
    await close(page);
    await page.getByText("Refund not confirmed").waitFor();
    await page
      .getByText(`${dollars(half)} refunded`, { exact: true })
      .first()
      .waitFor();

    await press(tab, "Refund");
    await dialog(tab)
      .getByText(`It is not known whether ${dollars(half)} was refunded.`)
      .waitFor();
    await restore();

    await page.reload();
    await button(page, /^Check the refund of/).click();
    await press(page, "Check");
    await done(page, "The payment was refunded.");
    await page.getByText("Refund not confirmed").waitFor({ state: "detached" });
    await press(tab, "Check");
    await done(tab, "The payment was refunded.");
    await tab.close();
    expect(keys.size).toBe(1);
    expect(await refundsOf(charge.id)).toEqual([half]);

    await openRefund(page);
    expect(await dialog(page).innerText()).toMatch(
      new RegExp(`You refunded \\${dollars(half)} on .*\\s+\\${dollars(charge.amount_cents - half)} is left\\.`),
    );
  });

  it("checking a refund that never reached the server does not make it, and the refund can be requested again", async () => {
    const { member, charge } = await paidMember();
    const page = await open(browser.page, "owner", `#/communities/1/members/${member.id}`);
    await openRefund(page);
    const { restore } = await losing(page, "**/refund_charge", "before");
    await press(page, "Refund");
    await dialog(page).getByText("It is not known whether").waitFor();
    await press(page, "Check");
    await dialog(page).getByText("The server cannot be reached.").waitFor();
    await restore();
    await press(page, "Check");
    await dialog(page).getByText("Your refund was not made.").waitFor();
    expect(await dialog(page).getByLabel("Amount").inputValue()).toBe("");
    expect(await refundsOf(charge.id)).toEqual([]);
    await dialog(page).getByLabel("Amount").fill("1");
    await press(page, "Refund");
    await done(page, "The payment was refunded.");
    expect(await refundsOf(charge.id)).toEqual([100]);
  });

  it("a refund whose response was lost stays unconfirmed when another tab checks the previous refund", async () => {
    const { member, charge } = await paidMember();
    const page = await open(browser.page, "owner", `#/communities/1/members/${member.id}`);
    await openRefund(page);
    const first = await losing(page, "**/refund_charge", "before");
    await press(page, "Refund");
    await dialog(page).getByText("It is not known whether").waitFor();
    const tab = await secondTab(page);
    await button(tab, /^Check the refund of/).click();
    await dialog(tab).getByText("It is not known whether").waitFor();
    await first.restore();
    await press(page, "Check");
    await dialog(page).getByText("Your refund was not made.").waitFor();
    const second = await losing(page, "**/refund_charge", "after");
    await dialog(page).getByLabel("Amount").fill("1");
    await press(page, "Refund");
    await dialog(page).getByText("It is not known whether $1.00 was refunded.").waitFor();
    await second.restore();

    await press(tab, "Check");
    await dialog(tab).getByText("Your refund was not made.").waitFor();
    await tab.close();
    await page.reload();
    await button(page, /^Check the refund of/).click();
    await press(page, "Check");
    await done(page, "The payment was refunded.");
    expect(await refundsOf(charge.id)).toEqual([100]);
  });

  it("a refund that was made is not reported as missing when it is checked too late", async () => {
    const { member, charge } = await paidMember();
    const page = await open(browser.page, "owner", `#/communities/1/members/${member.id}`);
    await openRefund(page);
    const { keys, restore } = await losing(page, "**/refund_charge", "after");
    await dialog(page).getByLabel("Amount").fill("1");
    await press(page, "Refund");
    await dialog(page).getByText("It is not known whether $1.00 was refunded.").waitFor();
    await restore();
    const sent = await losing(page, "**/refund_charge", "before");
    await page.clock.setFixedTime(Date.now() + 25 * 60 * 60 * 1000);
    await press(page, "Check");
    await dialog(page).getByText("Too much time has passed to check it.").waitFor();
    expect(await dialog(page).innerText()).toMatch(/You refunded \$1\.00 on /);
    expect(await dialog(page).getByLabel("Amount").inputValue()).toBe("");
    expect([keys.size, sent.keys.size]).toEqual([1, 0]);
    expect(await refundsOf(charge.id)).toEqual([100]);
  });

  it("a refund whose response was lost is still unconfirmed after its person was erased", async () => {
    const { member } = await paidMember();
    const page = await open(browser.page, "owner", `#/communities/1/members/${member.id}`);
    await openRefund(page);
    const { restore } = await losing(page, "**/refund_charge", "before");
    await press(page, "Refund");
    await dialog(page).getByText("It is not known whether").waitFor();
    await restore();
    const problem = { type: "about:blank", title: "Person erased", status: 409, code: "person_erased" };
    const answer = { status: 409, contentType: "application/problem+json", body: JSON.stringify(problem) };
    await page.route("**/refund_charge", (route) => route.fulfill(answer));
    await press(page, "Check");
    await dialog(page).getByText("erased").waitFor();
    expect(await dialog(page).innerText()).toContain("It is not known whether");
    expect(await dialog(page).getByLabel("Amount").count()).toBe(0);
  });

  it("a refund whose response was lost is checked by the person who made it, and by nobody else in the same browser", async () => {
    const { member, charge } = await paidMember();
    const path = `#/communities/1/members/${member.id}`;
    const page = await open(browser.page, "owner", path);
    await openRefund(page);
    const { restore } = await losing(page, "**/refund_charge", "after");
    await dialog(page).getByLabel("Amount").fill("1");
    await press(page, "Refund");
    await dialog(page).getByText("It is not known whether").waitFor();
    await close(page);
    await restore();

    await button(page, "Sign out").click();
    await page.getByLabel("Password").waitFor();
    await leaveConsole(page);
    await resumeAdmin(page);
    await page.goto(`${local().api_url}/console${path}`);
    await button(page, /^(?:Refund the payment|Check the refund) of/)
      .first()
      .waitFor();
    expect(await button(page, /^Check the refund of/).count()).toBe(0);

    await leaveConsole(page);
    await open(page, "owner", path);
    await button(page, /^Check the refund of/).click();
    await press(page, "Check");
    await done(page, "The payment was refunded.");
    expect(await refundsOf(charge.id)).toEqual([100]);
  });

  it("an unconfirmed refund is removed when the console starts or somebody signs in after its key has expired", async () => {
    const { page } = browser;
    const keep = (chargeId: string, hours: number) => {
      const attempt = { key: chargeId, body: { note: "For my records" }, at: new Date(Date.now() - hours * 3_600_000) };
      const item = [`odis.console.attempt.${people.member.id}.refund.${chargeId}`, JSON.stringify(attempt)];
      return page.evaluate(`localStorage.setItem(...${JSON.stringify(item)})`);
    };
    const kept = () => page.evaluate<string[]>("Object.values(localStorage).map((text) => JSON.parse(text).key)");
    await page.goto(`${local().api_url}/console#/`);
    await page.getByLabel("Password").waitFor();
    await keep("ch_expired", 25);
    await keep("ch_known", 1);
    await page.reload();
    await page.getByLabel("Password").waitFor();
    expect(await kept()).toEqual(["ch_known"]);

    await keep("ch_expired", 25);
    await open(page, "owner");
    expect(await kept()).toEqual(["ch_known"]);
  });

  it("a refund by somebody else while the dialog is open is shown, and the amount has to be entered again", async () => {
    const { member, charge } = await paidMember();
    const page = await open(browser.page, "owner", `#/communities/1/members/${member.id}`);
    await openRefund(page);
    await ask("admin", "POST", `${api}/${member.id}/refund_charge`, { charge_id: charge.id, amount_cents: 400 });
    await press(page, "Refund");
    await dialog(page).getByText("Your refund was not made.").waitFor();
    expect(await dialog(page).innerText()).toMatch(
      new RegExp(`User \\d+ refunded \\$4\\.00 on .*\\s+\\${dollars(charge.amount_cents - 400)} is left\\.`),
    );
    expect(await dialog(page).getByLabel("Amount").inputValue()).toBe("");
    await press(page, "Refund");
    await dialog(page).getByText("Enter an amount in dollars").waitFor();
    expect(await refundsOf(charge.id)).toEqual([400]);
  });

  it("a refund of a disputed payment is not offered", async () => {
    const { member, charge } = await paidMember();
    const page = await open(browser.page, "owner", `#/communities/1/members/${member.id}`);
    const refunds = button(page, /^Refund the payment of/);
    await refunds.first().waitFor();
    const offered = await refunds.count();
    const body = JSON.stringify({ charge: charge.id });
    expect((await fetch(`${local().stripe_url}/_fake/disputes`, { method: "POST", body })).ok).toBe(true);
    await eventually(async () => {
      await page.reload();
      await page.getByText("Disputed", { exact: true }).waitFor({ timeout: 2000 });
    });
    expect(await refunds.count()).toBe(offered - 1);
  });
});
