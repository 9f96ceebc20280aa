import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { clientOf } from "#lib/billing/stripe.ts";
import { hasBrowser } from "../support/chromium.ts";
import { useClubPage, windows } from "../support/club-page.ts";
import { eventually } from "../support/eventually.ts";

describe.skipIf(!hasBrowser("changes of plan in <odis-club>"))("a member changes their plan in <odis-club>", () => {
  const club = useClubPage(/status of 40[0-49]|net::ERR_FAILED/);
  const { button, check } = club;
  let page: Page;
  beforeEach(() => {
    ({ page } = club);
  });

  const stripeUrl = () => club.stack.local.stripe_url ?? "";
  const control = (path: string, body: object) =>
    fetch(`${stripeUrl()}/_fake/${path}`, { method: "POST", body: JSON.stringify(body) });

  /** The subscription of a person at the stand-in, with its next price, and their invoices, newest first. */
  async function atStripe(email: string) {
    const stripe = clientOf({ secret_key: "sk_test_screen" }, stripeUrl());
    const { id: customer = "" } = (await stripe.customers.list({ email })).data[0] ?? {};
    const [subscription] = (await stripe.subscriptions.list({ customer, expand: ["data.schedule"] })).data;
    const invoices = (await stripe.invoices.list({ customer })).data;
    const item = subscription?.items.data[0];
    if (!subscription || !item || typeof subscription.schedule === "string") throw new Error(`${email} has none`);
    const planned = subscription.schedule?.phases.at(-1)?.items[0]?.price;
    const price = typeof planned === "string" ? await stripe.prices.retrieve(planned) : undefined;
    return { subscription, invoices, end: item.current_period_end, price: item.price, planned: price };
  }
  const dateOf = (seconds: number) =>
    new Date(1000 * seconds).toLocaleDateString("en-US", { day: "numeric", month: "long", year: "numeric" });
  const amountsIn = (text: string) => Array.from(text.matchAll(/\$([\d,.]*\d)/g), ([, amount = ""]) => centsOf(amount));
  const centsOf = (amount: string) => Math.round(100 * Number(amount.replaceAll(",", "")));
  const ascending = (amounts: readonly number[]) => amounts.toSorted((a, b) => a - b);
  const money = (cents: number) => `$${(cents / 100).toFixed(2)}`;

  /** Waits until every amount of the account is the one of the stand-in: of the renewal, the scheduled change and the invoices. */
  const expectAccount = (email: string) =>
    eventually(async () => {
      const { subscription, invoices, end, price, planned } = await atStripe(email);
      const [, text = ""] = (await page.locator(".club").innerText()).split("My account");
      const isEnding = subscription.cancel_at !== null || subscription.cancel_at_period_end;
      expect(text).toContain(`${isEnding ? "Ends" : "Renews"} on ${dateOf(end)}`);
      const next = planned ? [planned.unit_amount, planned.unit_amount] : isEnding ? [] : [price.unit_amount];
      const amounts = amountsIn(text);
      const totals = invoices.map(({ total }) => total).filter((total) => total > 0);
      // Invoices of the same second have no order.
      expect([amounts.slice(0, next.length), ascending(amounts.slice(next.length))]).toEqual([next, ascending(totals)]);
    });
  /** Opens the preview of a plan. @returns its text */
  async function preview(label: string): Promise<string> {
    await button("Change your plan").click();
    await button(label).click();
    return page.getByText(/^(You pay|Nothing is charged)/).innerText();
  }
  const joined = async (tier: string, price = "$10.00"): Promise<string> => {
    await page.goto(club.origin);
    const email = await club.signUp(tier);
    await button(`Pay ${price}`).click();
    await button("My account").click();
    return email;
  };

  it.each(windows)(
    "every amount is the stand-in's while a member upgrades, pays by the year, plans less, and cancels: %i px, %s",
    async (width, colorScheme) => {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const email = await joined("Agave Friend");
      await expectAccount(email);
      await button("Change your plan").click();
      await page.getByText("Your plan, by the month").waitFor();
      await check("plans");
      await page.getByRole("button", { name: "Back to my account" }).click();

      expect(await preview("Change to Barrel Owner")).toBe(
        `You pay $15.00 now: the difference for the rest of the month. From ${dateOf((await atStripe(email)).end)}: $25.00 a month. This plan ships to you: check your address under “Card and address” in your account.`,
      );
      await check("preview");
      await button("Pay $15.00 now").click();
      await page.getByText("Your plan is now Barrel Owner, by the month. You have paid $15.00.").waitFor();
      await expectAccount(email);

      const year = await preview("Pay by the year");
      await button("Pay $225.00 now").click();
      await page.getByText("Your plan is now Barrel Owner, by the year. You have paid $225.00.").waitFor();
      await expectAccount(email);
      const { end, invoices } = await atStripe(email);
      expect(year).toBe(
        `You pay ${money(invoices[0]?.total ?? 0)} now: $250.00 for a year, less $25.00 for the rest of this month. From ${dateOf(end)}: $250.00 a year.`,
      );

      expect(await preview("Change to Agave Friend")).toBe(
        `Nothing is charged now. From ${dateOf(end)} your plan is Agave Friend, for $10.00 a month. Until then you keep what you have.`,
      );
      await button("Confirm the change").click();
      await page.getByText(`Your plan changes on ${dateOf(end)}.`).waitFor();
      await expectAccount(email);
      await check("scheduled");
      await button("Keep my plan").click();
      await page.getByText("You keep your plan.").waitFor();
      await expectAccount(email);
      expect((await atStripe(email)).subscription.schedule).toBeNull();

      await button("Cancel").click();
      await button("Cancel membership").click();
      await button("Keep membership").waitFor();
      expect(await button("Change your plan").count()).toBe(0);
      await expectAccount(email);
      await button("Keep membership").click();
      await button("Change your plan").waitFor();
      await expectAccount(email);
      expect((await atStripe(email)).invoices.map(({ total }) => total)).toEqual([22_500, 1500, 1000]);
    },
  );

  it("in the middle of a month the preview is what is charged, and it is shown again if it is no longer true", async () => {
    const email = "member@example.com";
    await page.goto(club.origin);
    await club.signIn();
    await button("My account").click();
    const before = await preview("Change to Palenque Patron");
    const { subscription } = await atStripe(email);
    await control(`subscriptions/${subscription.id}`, { coupon: { percent_off: 50, duration: "forever" } });
    await page.getByRole("button", { name: /^Pay .* now$/ }).click();
    await page.getByRole("alert").getByText("The preview is no longer valid. Check the change again.").waitFor();
    await check("preview again");
    const after = await page.getByText(/^You pay/).innerText();
    expect(after).not.toBe(before);

    await page.getByRole("button", { name: /^Pay .* now$/ }).click();
    await page.getByText(/^Your plan is now Palenque Patron/).waitFor();
    const [invoice] = (await atStripe(email)).invoices;
    const [charged = 0] = amountsIn(after);
    expect(charged).toBeLessThan(4500);
    expect([charged, ...amountsIn(await page.getByText(/^Your plan is now/).innerText())]).toEqual([
      invoice?.amount_paid,
      invoice?.amount_paid,
    ]);
    expect(amountsIn(after)).toEqual([invoice?.total, 4500]);
  });

  it("a change whose charge is declined is paid on Stripe's page, and until then the plan stays", async () => {
    const email = await joined("Agave Friend");
    await preview("Change to Ensamble Society");
    await control("faults", { decline: 1 });
    await button("Pay $35.00 now").click();
    await page.getByRole("heading", { name: "Your payment is needed" }).waitFor();
    const { subscription, invoices, price } = await atStripe(email);
    expect([invoices[0]?.status, invoices[0]?.total, price.unit_amount]).toEqual(["open", 3500, 1000]);
    const time = new Date(1000 * (subscription.pending_update?.expires_at ?? 0)).toLocaleString("en-US", {
      dateStyle: "long",
      timeStyle: "short",
    });
    expect(await page.getByText(/^Your plan has not changed/).innerText()).toBe(
      `Your plan has not changed. Pay $35.00 on Stripe’s page by ${time} to change to Ensamble Society. Otherwise you keep Agave Friend and are not charged.`,
    );
    await check("payment");
    const opening = page.waitForEvent("popup");
    await page.getByRole("link", { name: "Pay $35.00 on Stripe’s page" }).click();
    const invoice = await opening;
    await invoice.getByRole("button", { name: "Pay $35.00" }).click();
    await invoice.getByText("paid").first().waitFor();
    await invoice.close();
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText("Your plan is now Ensamble Society, by the month.").waitFor();
    await expectAccount(email);
  });

  it("a member of a free tier pays at the checkout, and may also leave it without paying", async () => {
    const { api_url, tokens } = club.stack.local;
    const response = await fetch(`${api_url}/odis/v1/communities/1/tiers`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.owner}`, "content-type": "application/json" },
      body: JSON.stringify({ tier: { name: "Guest", monthly_price_dollars: 0 } }),
    });
    expect(response.status).toBe(201);
    const email = await joined("Guest", "$0.00");
    const text = await preview("Change to Agave Friend");
    expect(text).toMatch(/^You pay \$10\.00 now, for the first month\. From .*: \$10\.00 a month\.$/);
    await button("Pay $10.00 now").click();
    await page.getByRole("link", { name: "Go back without paying" }).click();
    await page.getByText("If you have paid, your plan changes in a moment.").waitFor();
    await page.getByText("Guest Active").waitFor();
    await check("left without paying");

    await preview("Change to Agave Friend");
    await button("Pay $10.00 now").click();
    await button("Pay $10.00").click();
    await page.getByText("Your plan was changed.").waitFor();
    expect(page.url()).toBe(`${club.origin}/`);
    await expectAccount(email);
    expect((await atStripe(email)).invoices.map(({ total }) => total)).toEqual([1000, 0]);
  });

  it("a member of a free tier who did not pay is not told that a scheduled plan is theirs already", async () => {
    await page.goto(club.origin);
    await club.signIn();
    const id = club.stack.local.communities.find(({ slug }) => slug === "mezcal-circle")?.id;
    await page.route(`**/communities/${id}/membership`, async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { tier: object };
      const tier = { ...json.tier, name: "Guest", monthly_price_dollars: 0, yearly_price_dollars: null };
      const change = { tier: json.tier, interval: "month", price_cents: 1000, at: "2030-01-01T12:00:00.000Z" };
      await route.fulfill({ response, json: { ...json, tier, price_cents: 1000, scheduled_change: change } });
    });
    await page.goto(`${club.origin}/?odis-club=changed-${id}`);
    await page.getByText("Guest Active").waitFor();
    const told = page.getByText(/^Your plan was changed|^If you have paid/);
    expect(await told.allInnerTexts()).toEqual(["If you have paid, your plan changes in a moment."]);
  });

  it("a member who keeps their plan is told so, even if the scheduled change is gone already", async () => {
    await page.goto(club.origin);
    await club.signIn();
    let isScheduled = true;
    await page.route("**/communities/*/membership", async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { tier: object };
      const change = { tier: json.tier, interval: "month", price_cents: 500, at: "2030-01-01T12:00:00.000Z" };
      await route.fulfill({ response, json: { ...json, scheduled_change: isScheduled ? change : null } });
    });
    await page.reload();
    await button("My account").click();
    await button("Keep my plan").waitFor();
    isScheduled = false;
    await button("Keep my plan").click();
    await page.getByText("You keep your plan.").or(page.getByRole("alert")).waitFor();
    expect(await page.getByText("You keep your plan.").count()).toBe(1);
    await button("Keep my plan").waitFor({ state: "detached" });
  });

  /** Sends a request of the member who is signed in, as another tab does. @returns its response */
  async function inAnotherTab<T>(route: string, body: object): Promise<T> {
    const token = await page.evaluate<string>("document.querySelector('odis-club').token()");
    const { api_url, communities } = club.stack.local;
    const id = communities.find(({ slug }) => slug === "mezcal-circle")?.id;
    const response = await fetch(`${api_url}/odis/v1/communities/${id}/membership/${route}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  }
  const alerts = () => page.getByRole("alert").allInnerTexts();

  it("a member keeps their membership that another tab has kept before, and is refused nothing", async () => {
    await joined("Agave Friend");
    await button("Cancel").click();
    await button("Cancel membership").click();
    await button("Keep membership").waitFor();
    await inAnotherTab("uncancel_subscription", {});
    await button("Keep membership").click();
    await page
      .getByText(/Renews on/)
      .or(page.getByRole("alert"))
      .waitFor();
    expect(await alerts()).toEqual([]);
    await button("Change your plan").waitFor();
  });

  it("a member who canceled in another tab is told to keep the membership first, and can", async () => {
    await joined("Agave Friend");
    await button("Change your plan").click();
    await button("Change to Ensamble Society").waitFor();
    await inAnotherTab("cancel_subscription", { mode: "at_period_end" });
    await button("Change to Ensamble Society").click();
    await page.getByText("Your membership is about to end. Keep it first, then change your plan.").waitFor();
    await button("Back to my account").click();
    await button("Keep membership").click();
    await page.getByText(/Renews on/).waitFor();
    expect(await alerts()).toEqual([]);
  });

  it("a member who confirms a plan that another tab has confirmed before is told that it is theirs", async () => {
    const email = await joined("Agave Friend");
    await preview("Change to Ensamble Society");
    const { tiers = [] } = club.stack.local.communities.find(({ slug }) => slug === "mezcal-circle") ?? {};
    const plan = { tier_id: tiers.find(({ name }) => name === "Ensamble Society")?.id, interval: "month" };
    const { preview_id } = await inAnotherTab<{ preview_id: string }>("change_subscription", {
      ...plan,
      dry_run: true,
    });
    await inAnotherTab("change_subscription", { ...plan, preview_id });
    // The record may be older than the subscription in Stripe.
    await page.route("**/communities/*/membership", (route) => route.abort());
    await button("Pay $35.00 now").click();
    await page.getByText("Your plan is now Ensamble Society, by the month.").or(page.getByRole("alert")).waitFor();
    expect(await alerts()).toEqual([]);
    await page.unroute("**/communities/*/membership");
    await page.reload();
    await button("My account").click();
    await expectAccount(email);
  });

  it.each([
    [
      "Agave Friend",
      "Pay $10.00",
      "Ensamble Society",
      "Pay $35.00 now",
      /^Your plan is now Ensamble Society, by the month\./,
    ],
    ["Ensamble Society", "Pay $45.00", "Agave Friend", "Confirm the change", /^Your plan changes on /],
  ])("a member whose confirmation is not answered is told what has become of it: from %s", async (...steps) => {
    const [tier, payment, label, confirmation, text] = steps;
    await page.goto(club.origin);
    await club.signUp(tier);
    await button(payment).click();
    await button("My account").click();
    await preview(`Change to ${label}`);
    await page.route("**/membership/change_subscription", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await button(confirmation).click();
    await page.getByText(text).waitFor();
    expect(await alerts()).toEqual([]);
    await page.getByRole("heading", { name: "My account" }).waitFor();
  });

  it("a member whose membership is paused sees why and which invoice is open, and can no longer pay it after ending the membership", async () => {
    const email = await joined("Agave Friend");
    await preview("Change to Ensamble Society");
    await control("faults", { decline: 1 });
    await button("Pay $35.00 now").click();
    await page.getByRole("heading", { name: "Your payment is needed" }).waitFor();
    const { subscription, invoices } = await atStripe(email);
    await control(`subscriptions/${subscription.id}`, { paused: "pause_requested" });
    await eventually(async () => {
      await page.reload();
      await button("My account").click();
      await page.getByText("Pay the open invoice below to come back.").waitFor({ timeout: 20_000 });
    });
    const [open] = invoices;
    const link = page.getByRole("link", { name: "Open invoice" });
    expect([open?.status, await link.getAttribute("href")]).toEqual(["open", open?.hosted_invoice_url]);
    await check("unpaid");
    await button("Cancel").click();
    await page.getByText("Your membership ends now. Paying an open invoice later does not bring it back.").waitFor();
    await check("end of an unpaid membership");
    await button("Cancel membership").click();
    await page.getByText("Ended", { exact: true }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "$35 · open" }).waitFor();
    expect(await link.count()).toBe(0);
    await page.getByRole("link", { name: "Receipt", exact: true }).waitFor();
  });

  it("a blocked member sees that the subscription goes on, and ends it", async () => {
    const email = await joined("Agave Friend");
    const { subscription, end } = await atStripe(email);
    const { api_url, tokens, communities } = club.stack.local;
    const path = `${api_url}/odis/v1/communities/${communities.find(({ slug }) => slug === "mezcal-circle")?.id}/members`;
    const headers = { authorization: `Bearer ${tokens.owner}` };
    const response = await fetch(`${path}?query=${email}`, { headers });
    const { data } = (await response.json()) as { data: { id: number }[] };
    expect((await fetch(`${path}/${data[0]?.id}/block`, { method: "POST", headers })).status).toBe(200);
    await page.reload();
    await button("My account").click();
    await page.getByText("Blocked", { exact: true }).waitFor();
    await page.getByText(`Renews on ${dateOf(end)} for $10.00`).waitFor();
    expect(await button("Change your plan").count()).toBe(0);
    await button("Cancel").click();
    await page.getByText("You do not pay again.").waitFor();
    await check("cancellation by a blocked member");
    await button("Cancel membership").click();
    await page.getByText(`Ends on ${dateOf(end)}`).waitFor();
    expect(await page.getByRole("button", { name: /^(Cancel|Keep)/ }).count()).toBe(0);
    const stripe = clientOf({ secret_key: "sk_test_screen" }, stripeUrl());
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ cancel_at_period_end: true });
  });

  it("a member without a card is led to the billing portal", async () => {
    await joined("Agave Friend");
    await page.route("**/membership/change_subscription", (route) =>
      route.fulfill({
        status: 409,
        contentType: "application/problem+json",
        headers: { "access-control-allow-origin": "*" },
        body: JSON.stringify({ code: "payment_processor_refused", processor_code: "resource_missing" }),
      }),
    );
    await button("Change your plan").click();
    await button("Change to Ensamble Society").click();
    await page.getByRole("heading", { name: "Add a card first" }).waitFor();
    await check("no card");
    await button("Add a card").click();
    await page.getByRole("link", { name: "Return" }).click();
    await button("Change your plan").waitFor();
    expect(page.url()).toBe(`${club.origin}/`);
  });

  it("a plan is changed with the keyboard, and each step gets the focus", async () => {
    await joined("Agave Friend");
    const focused = () => page.evaluate("document.querySelector('odis-club').shadowRoot.activeElement?.textContent");
    const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
    const pressOn = async (name: string) => {
      for (let presses = 0; presses < 30 && (await focused()) !== name; presses++) await page.keyboard.press("Tab");
      expect(await focused()).toBe(name);
      await page.keyboard.press("Enter");
    };
    await pressOn("Change your plan");
    await heading("Change your plan");
    expect(await focused()).toBe("Change your plan");
    await pressOn("Change to Ensamble Society");
    await heading("Change to Ensamble Society");
    expect(await focused()).toBe("Change to Ensamble Society");
    await pressOn("Pay $35.00 now");
    await page.getByText("Your plan is now Ensamble Society, by the month. You have paid $35.00.").waitFor();
    expect(await focused()).toBe("My account");
  });
});
