import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { Transaction, TransactionPage } from "../../client/schema.ts";
import {
  all,
  ask,
  button,
  dialog,
  dollars,
  done,
  hasConsole,
  heading,
  local,
  newTab,
  open,
  paidMember,
  useConsole,
} from "./console.ts";

const path = "/odis/v1/communities/1/transactions";

describe.skipIf(!hasConsole)("the payments of a community in Chromium", () => {
  const browser = useConsole();

  it("an owner sees the payments of a month, and exports exactly these", async () => {
    const { data } = await ask<TransactionPage>("owner", "GET", `${path}?per=1`);
    const from = `${data[0]?.day.slice(0, 7)}-01`;
    const page = await open(browser.page, "owner", `#/communities/1/payments?type=payment&from=${from}`);
    const year = Number(from.slice(0, 4));
    const to = new Date(Date.UTC(year, Number(from.slice(5, 7)), 0)).toISOString().slice(0, 10);
    const exported = await all<Transaction>("owner", `${path}?type=payment&from=${from}&to=${to}`);
    const shown = exported.slice(0, 50);
    const rows = page.getByRole("row");
    await rows.nth(shown.length).waitFor();
    expect(await rows.count()).toBe(shown.length + 1);
    expect(await rows.nth(1).innerText()).toContain(dollars(shown[0]?.amount_cents ?? 0));
    const receipts = shown.flatMap(({ receipt_url }) => receipt_url ?? []);
    expect(receipts.length).toBeGreaterThan(0);
    const links = page.getByRole("link", { name: /^Receipt for \$/ });
    expect(await Promise.all((await links.all()).map((link) => link.getAttribute("href")))).toEqual(receipts);
    const saved = page.waitForEvent("download");
    await button(page, "Export CSV").click();
    await Promise.race([saved, done(page, /^Exported/)]);
    const download = await saved;
    expect(download.suggestedFilename()).toBe(`transactions-1-${from.slice(0, 7)}.csv`);
    const lines = (await text(await download.createReadStream())).trim().split("\n");
    expect(lines.slice(1).map((line) => line.split(",")[0]?.replaceAll('"', ""))).toEqual(exported.map(({ id }) => id));
  });

  it("the focus moves to the last row when “Show earlier payments” has shown all of them", async () => {
    const { page } = browser;
    const first = await ask<TransactionPage>("owner", "GET", `${path}?per=2`);
    const cursor = first.next_cursor ?? "";
    await page.route(/\/transactions\?/, (route) =>
      route.fulfill({
        json: route.request().url().includes("cursor=")
          ? { ...first, next_cursor: null }
          : { ...first, next_cursor: cursor },
      }),
    );
    await open(page, "owner", "#/communities/1/payments");
    await button(page, "Show earlier payments").press("Enter");
    await button(page, "Show earlier payments").waitFor({ state: "detached" });
    expect(await page.getByRole("row").count()).toBe(5);
    expect(await page.evaluate("document.activeElement.closest('tr')?.matches(':last-child')")).toBe(true);
  });

  it("a refund or dispute that took no money has its amount struck out, without a minus", async () => {
    const { data } = await ask<TransactionPage>("owner", "GET", `${path}?type=payment&per=1`);
    const kinds = [
      ["payment", "succeeded"],
      ["refund", "succeeded"],
      ["refund", "failed"],
      ["refund", "canceled"],
      ["dispute", "lost"],
      ["dispute", "under_review"],
      ["dispute", "won"],
      ["dispute", "prevented"],
      ["dispute", "warning_closed"],
    ] as const;
    const rows = kinds.map(([type, status], n) => ({
      ...data[0],
      id: `x_${n}`,
      type,
      status,
      amount_cents: 500,
      receipt_url: null,
    }));
    const { page } = browser;
    await page.route(/\/transactions\?/, (route) => route.fulfill({ json: { data: rows, next_cursor: null } }));
    await open(page, "owner", "#/communities/1/payments");
    const amounts = page.locator("td.number a");
    await amounts.nth(kinds.length - 1).waitFor();
    expect(await amounts.allInnerTexts()).toEqual([
      "$5.00",
      "−$5.00",
      "$5.00",
      "$5.00",
      "−$5.00",
      "−$5.00",
      "$5.00",
      "$5.00",
      "$5.00",
    ]);
    expect(await page.locator("td.number s").count()).toBe(5);
  });

  it("a browser in German shows amounts and dates as in German, reads a decimal comma, and has English words", async () => {
    const { member, charge } = await paidMember();
    const page = await open(
      await newTab(browser.page, { locale: "de-DE" }),
      "owner",
      "#/communities/1/payments?type=payment",
    );
    const { data } = await ask<TransactionPage>("owner", "GET", `${path}?type=payment&per=1`);
    const format = new Intl.NumberFormat("de-DE", { style: "currency", currency: "USD" });
    await page
      .getByText(format.format((data[0]?.amount_cents ?? 0) / 100))
      .first()
      .waitFor();
    await page
      .getByText(/^\d{1,2}\. \p{L}+\.? \d{4}$/u)
      .first()
      .waitFor();
    await page.evaluate(`location.hash = "#/communities/1/members/${member.id}"`);
    await button(page, /^Refund the payment/)
      .first()
      .click();
    const amount = dialog(page).getByLabel("Amount");
    expect(await amount.inputValue()).toBe((charge.refundable_cents / 100).toFixed(2).replace(".", ","));
    await amount.fill("1,50");
    await dialog(page)
      .getByText(`${member.user.first_name} gets ${format.format(1.5)} back`)
      .waitFor();
    await page.close();
  });

  it("in every time zone, a payment has the day in UTC by which the page and the CSV file select it", async () => {
    const { data } = await ask<TransactionPage>("owner", "GET", `${path}?per=50`);
    const days = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
    for (const timezoneId of ["Pacific/Pago_Pago", "Pacific/Kiritimati"]) {
      const tab = await newTab(browser.page, { locale: "en-US", timezoneId });
      const page = await open(tab, "owner", "#/communities/1/payments");
      const cells = page.getByRole("row").getByRole("cell", { name: /^\w{3} \d+, \d{4}$/ });
      await cells.nth(data.length - 1).waitFor();
      expect(await cells.allInnerTexts()).toEqual(data.map(({ day }) => days.format(new Date(day))));
      await tab.close();
    }
  });

  it("a dispute to answer comes first, with its reason and day, and stands under what needs the owner", async () => {
    const { charge } = await paidMember();
    const body = JSON.stringify({ charge: charge.id });
    const { stripe_url } = local();
    await fetch(`${stripe_url}/_fake/disputes`, { method: "POST", body });
    await fetch(`${stripe_url}/_fake/deliver`, { method: "POST", body: "{}" });
    const page = await open(browser.page, "owner", "#/communities/1");
    await page.getByRole("link", { name: /disputes? to answer/ }).click();
    await heading(page, "Disputes to answer").waitFor();
    await button(page, "Export CSV").click({ trial: true });
    await page
      .getByRole("link", { name: / in Stripe$/ })
      .last()
      .click({ trial: true });
    await page
      .getByText(/^Answer by .+: .+, \$/)
      .first()
      .waitFor();
    await page.getByText("Without an answer, the cardholder keeps the money.").waitFor();
    const link = page.getByRole("link", { name: "Answer in Stripe" }).first();
    expect(await link.getAttribute("href")).toMatch(/^https:\/\/dashboard\.stripe\.com\/disputes\//);
  });
});
