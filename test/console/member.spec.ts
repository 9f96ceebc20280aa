import { describe, expect, it } from "vitest";
import type { ImportedMembers, Member, PaymentHistoryPage } from "../../client/schema.ts";
import { eventually } from "../support/eventually.ts";
import {
  ask,
  button,
  dialog,
  dollars,
  done,
  fullName,
  hasConsole,
  heading,
  isActive,
  local,
  memberWho,
  open,
  paidMember,
  useConsole,
} from "./console.ts";
import { tabTo } from "./keyboard.ts";

describe.skipIf(!hasConsole)("the page of a member in the console, in Chromium", () => {
  const browser = useConsole();
  const api = "/odis/v1/communities/1/members";

  it("an owner finds a member by name and refunds half of the last payment", async () => {
    const { member, charge } = await paidMember();
    const half = Math.floor(charge.amount_cents / 2);
    const page = await open(browser.page, "owner");
    await page.getByRole("link", { name: "Members", exact: true }).click();
    await page.getByLabel("Search").fill(member.user.email);
    await page.getByText("1 member", { exact: true }).waitFor();
    await page.getByRole("link", { name: fullName(member) }).click();
    await heading(page, fullName(member)).waitFor();
    await button(page, /^Refund the payment of/)
      .first()
      .click();
    await dialog(page)
      .getByLabel("Amount")
      .fill(String(charge.amount_cents / 100 + 1));
    await dialog(page).getByRole("button", { name: "Refund" }).click();
    await dialog(page)
      .getByText(`At most ${dollars(charge.amount_cents)} of this payment can be refunded.`)
      .waitFor();
    await dialog(page)
      .getByLabel("Amount")
      .fill(String(half / 100));
    await dialog(page)
      .getByText(`${member.user.first_name} gets ${dollars(half)} back`)
      .waitFor();
    await dialog(page).getByRole("button", { name: "Refund" }).click();
    await done(page, "The payment was refunded.");
    await page
      .getByText(`${dollars(half)} refunded`, { exact: true })
      .first()
      .waitFor();
    const { data } = await ask<PaymentHistoryPage>("owner", "GET", `${api}/${member.id}/payment_history`);
    expect(data[0]?.charges[0]).toMatchObject({ id: charge.id, amount_refunded_cents: half });
  });

  it("an owner sees why a payment is overdue, when it is tried next, and copies the link to pay it", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/members?status=past_due");
    const member = await memberWho(({ status, is_blocked }) => status === "past_due" && !is_blocked);
    const history = await ask<PaymentHistoryPage>("owner", "GET", `${api}/${member.id}/payment_history`);
    const failure = history.data[0]?.charges.at(-1)?.failure_message;
    await page.getByRole("link", { name: fullName(member) }).click();
    await page.getByText(`${member.user.first_name} still has access, but the last payment failed.`).waitFor();
    expect(failure).toBe("Your card was declined.");
    await page.getByText("The bank declined the card, without a reason.").first().waitFor();
    await page.getByText(/ is due\. Tried .+\. (?:The next attempt is on|No further attempt is planned)/).waitFor();
    const letter = page.getByRole("link", { name: `Email ${member.user.first_name}` });
    const href = await letter.getAttribute("href");
    expect(href).toContain(`mailto:${member.user.email}?`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(page, "Copy the link to pay").click();
    await done(page, "The link to pay was copied.");
    const url = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(url).toBe(history.data[0]?.hosted_invoice_url);
    expect(decodeURIComponent(href ?? "")).toContain(url);
  });

  it("an owner ends a subscription immediately", async () => {
    const member = await memberWho(isActive);
    const page = await open(browser.page, "owner", `#/communities/1/members/${member.id}`);
    await button(page, "Cancel the subscription").click();
    await dialog(page).getByText("keeps access until").waitFor();
    await dialog(page).getByLabel("Now").check();
    await dialog(page).getByText(`${member.user.first_name} loses access now. Nothing is refunded`).waitFor();
    await dialog(page).getByRole("button", { name: "Cancel the subscription" }).click();
    await done(page, "The subscription was canceled.");
    await page.getByText(`${member.user.first_name} has no access.`).waitFor();
    await page.getByText("The subscription ended on").waitFor();
    expect(await ask<Member>("owner", "GET", `${api}/${member.id}`)).toMatchObject({ status: "canceled" });
  });

  it("an owner schedules a cancellation at the end of the period and withdraws it", async () => {
    const { id, user } = await memberWho(isActive);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await button(page, "Cancel the subscription").click();
    await dialog(page).getByRole("button", { name: "Cancel the subscription" }).click();
    await done(page, "The subscription was canceled.");
    await page.getByText(`${user.first_name} keeps access until`).waitFor();
    await button(page, "Keep the subscription").click();
    await dialog(page).getByRole("button", { name: "Keep the subscription" }).click();
    await done(page, "The subscription continues.");
    await page.getByText(`${user.first_name} has access.`).waitFor();
    await page.getByText("The current period ends on").waitFor();
    expect(await ask<Member>("owner", "GET", `${api}/${id}`)).toMatchObject({ cancel_at: null, status: "active" });
  });

  it("the page of a member who pays outside of Stripe says so, and what an end of the membership does not do", async () => {
    const record = {
      id: 77,
      user: { email: "zoe.before@example.com", username: "zoe.before", first_name: "Zoë", last_name: "Before" },
      tier_id: 11,
      status: "active",
      created_at: "2019-05-01T00:00:00.000Z",
      current_period_start: "2026-11-01T00:00:00.000Z",
      current_period_end: new Date(Date.now() + 20 * 86_400_000).toISOString(),
    };
    const { data } = await ask<{ data: { id: number }[] }>("owner", "POST", `${api}/import`, { members: [record] });
    const page = await open(browser.page, "owner", `#/communities/1/members/${data[0]?.id}`);
    await page.getByText("Imported: pays outside of Stripe. Odis takes no payments.").first().waitFor();
    await button(page, "Cancel the subscription").click();
    await dialog(page).getByText("End the payments where they are made.").waitFor();
    await dialog(page).getByRole("button", { name: "Cancel the subscription" }).click();
    await done(page, "The subscription was canceled.");
    await page.getByText("Then the membership ends.").waitFor();
    const member = await ask<Member>("owner", "GET", `${api}/${data[0]?.id}`);
    expect(member).toMatchObject({ status: "active", cancel_at: record.current_period_end });
  });

  it("a membership outside of Stripe whose period is over can only end now", async () => {
    const record = {
      id: 78,
      user: { email: "yara.before@example.com", username: "yara.before", first_name: "Yara", last_name: "Before" },
      tier_id: 11,
      status: "active",
      created_at: "2019-05-01T00:00:00.000Z",
      current_period_start: "2019-05-01T00:00:00.000Z",
      current_period_end: "2019-06-01T00:00:00.000Z",
    };
    const { data } = await ask<{ data: { id: number }[] }>("owner", "POST", `${api}/import`, { members: [record] });
    const page = await open(browser.page, "owner", `#/communities/1/members/${data[0]?.id}`);
    await page.getByText("Imported: pays outside of Stripe. Odis takes no payments.").first().waitFor();
    await button(page, "Cancel the subscription").click();
    await dialog(page).getByText("Yara loses access now, and the membership ends.").waitFor();
    expect(await dialog(page).getByRole("radio").count()).toBe(1);
    await dialog(page).getByRole("button", { name: "Cancel the subscription" }).click();
    await done(page, "The subscription was canceled.");
    expect(await ask<Member>("owner", "GET", `${api}/${data[0]?.id}`)).toMatchObject({ status: "canceled" });
  });

  it("the page of a member who was erased has no address to write to, and offers no change", async () => {
    const record = {
      user: { email: "eva.erased@example.com", first_name: "Eva", last_name: "Erased" },
      tier_id: 11,
      status: "active",
      created_at: "2019-05-01T00:00:00.000Z",
      current_period_start: "2019-05-01T00:00:00.000Z",
      current_period_end: "2019-06-01T00:00:00.000Z",
    };
    const { data } = await ask<ImportedMembers>("owner", "POST", `${api}/import`, { members: [record] });
    const path = `${api}/${data[0]?.id}`;
    const { user } = await ask<Member>("owner", "GET", path);
    await ask("admin", "POST", `/odis/v1/users/${user.id}/erase`, { dry_run: false });
    await eventually(async () => expect((await ask<Member>("owner", "GET", path)).user.email).toBe(""));
    const page = await open(browser.page, "owner", `#/communities/1/members/${data[0]?.id}`);
    await heading(page, "Erased person").waitFor();
    await page.getByText("Details", { exact: true }).click();
    await page.getByText("No custom data.").waitFor();
    expect(await page.locator("a[href^='mailto:']").count()).toBe(0);
    expect(await button(page, /^(Add|Block|Cancel|Change|Edit)/).count()).toBe(0);
  });

  it("the focus moves to the heading if the button that had it disappears", async () => {
    const { id, user } = await memberWho(isActive);
    await ask("owner", "POST", `${api}/${id}/cancel_subscription`, {});
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await button(page, "Keep the subscription").press("Enter");
    await dialog(page).getByRole("button", { name: "Keep the subscription" }).press("Enter");
    await done(page, "The subscription continues.");
    await page.getByText(`${user.first_name} has access.`).waitFor();
    await eventually(async () => expect(await page.evaluate("document.activeElement.tagName")).toBe("H1"));
  });

  it("an owner blocks a member with a reason, and unblocks them", async () => {
    const { id, user } = await memberWho(isActive);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await button(page, "Block").click();
    await dialog(page).getByText("Visible to the owner, managers, support and admins.").waitFor();
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

  it("an invalid address is reported at its fields, and a saved address is stored at Stripe", async () => {
    const { id, user, shipping_address } = await memberWho(
      (member) => isActive(member) && member.shipping_address.postal_code !== "",
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
    await done(page, "The address was saved in Odis and in Stripe.");
    await page.getByText(`${shipping_address.postal_code} Mitla`).waitFor();
    const { stripe_url } = local();
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

  it("a person who adds the first address while somebody else adds one sees both, and loses nothing", async () => {
    const member = await memberWho(
      (one) => isActive(one) && !one.has_shipping_address && !one.requires_shipping_address,
    );
    const page = await open(browser.page, "owner", `#/communities/1/members/${member.id}`);
    await button(page, "Edit the shipping address").click();
    const form = dialog(page);
    await form.getByLabel("Street and number").fill("Calle Luna 1");
    await form.getByLabel("City").fill("Oaxaca");
    await form.getByLabel("Country").selectOption("Mexico");
    const more = { line2: "", state: "", postal_code: "", phone: "" };
    const shipping_address = { name: "Sol", line1: "Calle Sol 2", city: "Puebla", country: "MX", ...more };
    await ask("owner", "PATCH", `/odis/v1/communities/1/members/${member.id}`, { member: { shipping_address } });
    expect(await button(page, "Save the address").boundingBox()).toMatchObject({ y: expect.closeTo(800, -2) });
    await button(page, "Save the address").click();
    await form.getByText("Someone else changed this while you were editing").waitFor();
    await form.getByText("Calle Sol 2").waitFor();
    await button(page, "Save my changes").click();
    await done(page, "The address was saved in Odis and in Stripe.");
    await page.getByText("Calle Luna 1").waitFor();
  });

  it("a member is refunded with the keyboard alone, and the focus returns to the button", async () => {
    const { page } = browser;
    const { member } = await paidMember();
    await open(page, "owner", "#/communities/1/members");
    await tabTo(page, "Search");
    await page.keyboard.type(member.user.email);
    await page.getByText("1 member", { exact: true }).waitFor();
    await tabTo(page, member.user.first_name);
    await page.keyboard.press("Enter");
    await button(page, /^Refund the payment/)
      .first()
      .waitFor();
    await tabTo(page, "Refund the payment");
    await page.keyboard.press("Enter");
    await dialog(page).waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.ariaLabel")).toMatch(/^Refund the payment/);
    await page.keyboard.press("Enter");
    await dialog(page).getByLabel("Note").waitFor();
    await tabTo(page, "Note");
    await page.keyboard.type("By keyboard");
    await tabTo(page, "Refund");
    await page.keyboard.press("Enter");
    await done(page, "The payment was refunded.");
  });

  it("a refund of a member whom somebody else changed in the meantime is made once it is requested again", async () => {
    const { member, charge } = await paidMember();
    const page = await open(browser.page, "owner", `#/communities/1/members/${member.id}`);
    await button(page, /^Refund the payment/)
      .first()
      .click();
    await dialog(page).getByLabel("Note").fill("Broken bottle");
    await ask("owner", "PATCH", `${api}/${member.id}`, { member: { metadata: { notes: "Called twice" } } });
    await dialog(page).getByRole("button", { name: "Refund" }).click();
    await dialog(page).getByText("Your refund was not made.").waitFor();
    expect(await dialog(page).getByLabel("Note").inputValue()).toBe("Broken bottle");
    await dialog(page)
      .getByLabel("Amount")
      .fill(String(charge.amount_cents / 100));
    await dialog(page).getByRole("button", { name: "Refund" }).click();
    await done(page, "The payment was refunded.");
    const after = await ask<Member>("owner", "GET", `${api}/${member.id}`);
    expect(after.metadata).toMatchObject({
      notes: "Called twice",
      refunds: [{ charge_id: charge.id, amount_cents: charge.amount_cents, note: "Broken bottle" }],
    });
  });

  it("a request without a response is not reported as done, and its retry has the same key", async () => {
    const { page } = browser;
    const keys: (string | undefined)[] = [];
    const { id } = await memberWho(isActive);
    await open(page, "owner", `#/communities/1/members/${id}`);
    await page.route("**/block", (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      return keys.length === 1
        ? route.fulfill({ status: 500, contentType: "application/problem+json", body: '{"code":"internal"}' })
        : route.continue();
    });
    await page.getByRole("heading", { level: 1, name: /\w/ }).waitFor();
    await button(page, "Block").click();
    const confirm = dialog(page).getByRole("button", { name: /^Block/ });
    await confirm.click();
    await dialog(page).getByText("Something went wrong on our end.").waitFor();
    await confirm.click();
    await done(page, /is blocked\./);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
  });

  it("a change whose first answer was lost is announced as saved, and nobody else is blamed", async () => {
    const { page } = browser;
    const { id } = await memberWho(isActive);
    await open(page, "owner", `#/communities/1/members/${id}`);
    await button(page, "Edit the notes").click();
    await dialog(page).getByLabel("Notes about this member").fill("Prefers the smoky one");
    await page.evaluate("Math.random = () => 0");
    const statuses: number[] = [];
    await page.route(`**/members/${id}`, async (route) => {
      if (route.request().method() !== "PATCH") return route.continue();
      const response = await route.fetch();
      statuses.push(response.status());
      return statuses.length === 1 ? route.abort() : route.fulfill({ response });
    });
    await button(page, "Save the notes").click();
    await done(page, "The notes were saved.");
    expect(statuses).toEqual([200, 412]);
    await page.locator(".notes").getByText("Prefers the smoky one").waitFor();
    await button(page, "Edit the notes").click();
    await dialog(page).getByLabel("Notes about this member").waitFor();
    expect(await button(page, "Discard").count()).toBe(0);
  });
});
