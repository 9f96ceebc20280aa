import { beforeEach, describe, expect, it } from "vitest";
import { clientOf, start, useLocalStripe } from "../../packages/stripe-stand-in/test/local.ts";
import { aPrice } from "../../packages/stripe-stand-in/test/target.ts";
import { findings, useBrowser } from "../support/browser.ts";
import { hasBrowser } from "../support/chromium.ts";

describe.skipIf(!hasBrowser("the checkout page"))("the hosted checkout page in Chromium", () => {
  const local = useLocalStripe({ now: () => start });
  const browser = useBrowser();

  let session: { readonly id: string; readonly url: string | null };
  const card = (name: string) => browser.page.getByRole("button", { name });
  const fill = async () => {
    for (const [label, value] of [
      ["E-mail", "ada@example.com"],
      ["Name", "Ada"],
    ] as const)
      await browser.page.getByLabel(label, { exact: true }).fill(value);
  };
  beforeEach(async () => {
    const stripe = clientOf(local.server.url);
    const { id: customer } = await stripe.customers.create({});
    session = await stripe.checkout.sessions.create({
      mode: "subscription",
      customer,
      line_items: [{ price: await aPrice(stripe), quantity: 1 }],
      success_url: `${local.server.url}/_fake/requests`,
      cancel_url: `${local.server.url}/_fake/requests`,
    });
    await browser.page.goto(session.url ?? "");
  });
  const statusOf = async () => (await local.stripe.checkout.sessions.retrieve(session.id)).status;

  it("the hosted checkout page accepts the payment and redirects back", async () => {
    await fill();
    await card("Pay $25.00").click();
    await browser.page.waitForURL("**/_fake/requests");
    expect(await statusOf()).toBe("complete");
  });

  it("the hosted checkout page can be paid with the keyboard alone", async () => {
    await browser.page.getByLabel("E-mail").focus();
    await browser.page.keyboard.type("ada@example.com");
    await browser.page.keyboard.press("Tab");
    await browser.page.keyboard.type("Ada");
    await browser.page.keyboard.press("Tab");
    await browser.page.keyboard.press("Enter");
    await browser.page.waitForURL("**/_fake/requests");
    expect(await statusOf()).toBe("complete");
  });

  it.each(["light", "dark"] as const)(
    "the hosted checkout page is accessible before and after the payment, in %s colors",
    async (colorScheme) => {
      const { page } = browser;
      await page.emulateMedia({ colorScheme });
      expect(await findings(page)).toEqual([]);
      await local.control(`checkout/${session.id}/complete`);
      await page.reload();
      expect(await findings(page)).toEqual([]);
    },
  );

  it("the hosted checkout page is light by default, and dark if the browser prefers dark colors", async () => {
    const brightness = async () => {
      const color = await browser.page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
      return Math.max(...(color.match(/\d+/g) ?? []).map(Number));
    };
    await browser.page.emulateMedia({ colorScheme: "light" });
    expect(await brightness()).toBeGreaterThan(230);
    await browser.page.emulateMedia({ colorScheme: "dark" });
    expect(await brightness()).toBeLessThan(50);
  });
});
