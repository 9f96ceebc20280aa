import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import type { Member, PaymentHistoryPage } from "../../client/schema.ts";
import { hasBrowser, useBrowser } from "../support/browser.ts";
import { button, dialog, done, fullName, heading, refusals, useConsole } from "./console.ts";

describe.skipIf(!hasBrowser("the console"))("members in the console, in Chromium", () => {
  const browser = useBrowser(refusals);
  const running = useConsole();
  const { ask, memberWho, open } = running;
  const api = "/odis/v1/communities/1/members";
  const today = new Date().toISOString().slice(0, 10);

  it("an owner finds a member by name and refunds half of the last payment", async () => {
    const member = await memberWho(
      ({ status, lifetime_spend_cents, total_refunded_cents, membership_tier }) =>
        status === "active" && lifetime_spend_cents > 0 && total_refunded_cents === 0 && membership_tier.id === 13,
    );
    const page = await open(browser.page, "owner");
    await page.getByRole("link", { name: "Members", exact: true }).click();
    await page.getByLabel("Search").fill(member.user.email);
    await page.getByText("1 member", { exact: true }).waitFor();
    await page.getByRole("link", { name: fullName(member) }).click();
    await heading(page, fullName(member)).waitFor();
    await button(page, /^Refund the payment of/)
      .first()
      .click();
    await dialog(page).getByLabel("Amount").fill("100");
    await dialog(page).getByRole("button", { name: "Refund" }).click();
    await dialog(page).getByText("At most $90.00 of this payment can be refunded.").waitFor();
    await dialog(page).getByLabel("Amount").fill("45");
    await dialog(page).getByText(`${member.user.first_name} gets $45.00 back`).waitFor();
    await dialog(page).getByRole("button", { name: "Refund" }).click();
    await done(page, "The refund was made.");
    await page.getByText("$45.00 refunded", { exact: true }).waitFor();
    const { data } = await ask<PaymentHistoryPage>("owner", "GET", `${api}/${member.id}/payment_history`);
    expect(data[0]?.charges[0]).toMatchObject({ amount_cents: 9000, amount_refunded_cents: 4500 });
  });

  it("an owner sees why a payment is overdue, and ends the subscription", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/members?status=past_due");
    const member = await memberWho(({ status }) => status === "past_due");
    await page.getByRole("link", { name: fullName(member) }).click();
    await page.getByText(`${member.user.first_name} still has access, but the last payment failed.`).waitFor();
    await page.getByText("Your card was declined.").waitFor();
    const letter = page.getByRole("link", { name: `Write to ${member.user.first_name}` });
    expect(await letter.getAttribute("href")).toBe(`mailto:${member.user.email}`);
    await button(page, "Cancel the subscription").click();
    await dialog(page).getByText("keeps access until").waitFor();
    await dialog(page).getByLabel("Now").check();
    await dialog(page).getByText(`${member.user.first_name} loses access now. Nothing is refunded`).waitFor();
    await dialog(page).getByRole("button", { name: "Cancel the subscription" }).click();
    await done(page, "The subscription was canceled.");
    await page.getByText(`${member.user.first_name} has no access. The subscription ended`).waitFor();
    expect(await ask<Member>("owner", "GET", `${api}/${member.id}`)).toMatchObject({ status: "canceled" });
  });

  it("a cancellation at the end of the period is made and withdrawn", async () => {
    const { id, user } = await memberWho(({ status, cancel_at }) => status === "active" && cancel_at === null);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await button(page, "Cancel the subscription").click();
    await dialog(page).getByRole("button", { name: "Cancel the subscription" }).click();
    await done(page, "The subscription was canceled.");
    await page.getByText(`${user.first_name} keeps access until`).waitFor();
    await button(page, "Keep the subscription").click();
    await dialog(page).getByRole("button", { name: "Keep the subscription" }).click();
    await done(page, "The subscription continues.");
    await page.getByText(`${user.first_name} has access. The subscription renews`).waitFor();
    expect(await ask<Member>("owner", "GET", `${api}/${id}`)).toMatchObject({ cancel_at: null, status: "active" });
  });

  it("an owner blocks a member with a reason, and unblocks them", async () => {
    const { id, user } = await memberWho(({ status, is_blocked }) => status === "active" && !is_blocked);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await button(page, "Block").click();
    await dialog(page).getByLabel("Reason").fill("Resold bottles");
    await dialog(page)
      .getByRole("button", { name: `Block ${user.first_name}` })
      .click();
    await done(page, `${user.first_name} is blocked.`);
    await page.getByText(`${user.first_name} is blocked and has no access.`).waitFor();
    await page.getByText("Reason: Resold bottles").waitFor();
    await button(page, "Unblock").click();
    await dialog(page)
      .getByRole("button", { name: `Unblock ${user.first_name}` })
      .click();
    await done(page, `${user.first_name} is no longer blocked.`);
    expect(await ask<Member>("owner", "GET", `${api}/${id}`)).toMatchObject({ is_blocked: false });
  });

  it("the CSV file has every member that the filters show, under one header", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/members?tier_id=11");
    const { data } = await ask<{ data: Member[] }>("owner", "GET", `${api}?tier_id=11&per=100`);
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Export CSV").click()]);
    expect(download.suggestedFilename()).toBe(`members-1-${today}.csv`);
    const text = await readFile(await download.path(), "utf8");
    const records = parse<{ id: string }>(text, { columns: true, bom: true });
    const ids = records.map(({ id }) => Number(id));
    expect(ids).toHaveLength(data.length);
    expect(new Set(ids)).toEqual(new Set(data.map(({ id }) => id)));
    await done(page, `The file has ${data.length} members.`);
  });

  it("an address is checked at its fields, and once saved it is at Stripe too", async () => {
    const { id, user } = await memberWho(
      ({ has_shipping_address, status }) => has_shipping_address && status === "active",
    );
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await button(page, "Edit the shipping address").click();
    await dialog(page).getByLabel("Name of the recipient").fill("Rosa Blanca");
    await dialog(page).getByLabel("City").fill("");
    await button(page, "Save the address").click();
    await dialog(page).getByText("Enter the city.").waitFor();
    expect(await dialog(page).getByLabel("City").getAttribute("aria-invalid")).toBe("true");
    await dialog(page).getByLabel("City").fill("Mitla");
    await button(page, "Save the address").click();
    await done(page, "The address was saved here and at Stripe.");
    await page.getByText("68000 Mitla").waitFor();
    const { stripe_url } = running.local;
    const response = await fetch(`${stripe_url}/v1/customers?email=${encodeURIComponent(user.email)}`, {
      headers: { authorization: "Bearer sk_test_local" },
    });
    const { data } = (await response.json()) as { data: object[] };
    expect(data).toEqual([
      expect.objectContaining({
        shipping: expect.objectContaining({ name: "Rosa Blanca", address: expect.objectContaining({ city: "Mitla" }) }),
      }),
    ]);
  });
});
