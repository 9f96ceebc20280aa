import { describe, expect, it } from "vitest";
import type { Community, ImportedMembers, Member, SubscriptionDetails, Tier } from "../../client/schema.ts";
import { people } from "../../tools/local/demo/people.ts";
import { eventually } from "../support/eventually.ts";
import { ask, button, dialog, done, hasConsole, isActive, local, memberWho, open, useConsole } from "./console.ts";
import { api, close, losing, press } from "./money.ts";

describe.skipIf(!hasConsole)("cancellations in the console, in Chromium", () => {
  const browser = useConsole();

  it("a cancellation whose response was lost stays unconfirmed after a reload until it is checked", async () => {
    const { id, user } = await memberWho(isActive);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await button(page, "Cancel the subscription").click();
    const { keys, restore } = await losing(page, "**/cancel_subscription", "after");
    await press(page, "Cancel the subscription");
    await dialog(page).getByText("It is not known whether the subscription was canceled.").waitFor();
    await close(page);
    await page.getByText(`${user.first_name} keeps access until`).waitFor();
    await restore();
    await page.reload();
    await button(page, "Check the cancellation").click();
    await press(page, "Check");
    await done(page, "The subscription was canceled.");
    await button(page, "Check the cancellation").waitFor({ state: "detached" });
    expect(keys.size).toBe(1);
    const member = await ask<Member>("owner", "GET", `${api}/${id}`);
    expect(member.status).toBe("active");
    expect(member.cancel_at).not.toBeNull();
  });

  it("a dialog opened before somebody else scheduled the end of a subscription does not end it immediately", async () => {
    const { id } = await memberWho(isActive);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await page.getByText("Joined", { exact: true }).waitFor();
    const reads: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/activity")) reads.push(request.url());
    });
    await button(page, "Cancel the subscription").click();
    await dialog(page).getByLabel("Now").waitFor();
    await ask("admin", "POST", `${api}/${id}/cancel_subscription`, {});
    expect(reads).toEqual([]);
    await press(page, "Cancel the subscription");
    await dialog(page).getByText("Your cancellation was not made.").waitFor();
    await dialog(page).getByText("The subscription is set to end on").waitFor();
    expect(await dialog(page).innerText()).toMatch(/Ada Admin canceled it on \w+ \d+, \d\d:\d\d.[AP]M\./);
    await press(page, "Cancel the subscription");
    await dialog(page).getByText("Choose when the subscription should end.").waitFor();
    expect(await ask<Member>("owner", "GET", `${api}/${id}`)).toMatchObject({ status: "active" });
  });

  it("a cancellation that is refused says who has changed the end of the subscription, and when", async () => {
    const { id } = await memberWho(({ user }) => user.id === people.member.id);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    await button(page, "Cancel the subscription").click();
    const own = "/odis/v1/communities/1/membership";
    await ask("member", "POST", `${own}/cancel_subscription`, {});
    await press(page, "Cancel the subscription");
    await dialog(page)
      .getByText(/^Mina Member canceled it on \w+ \d+, \d\d:\d\d.[AP]M\.$/)
      .waitFor();

    await ask("owner", "POST", `${api}/${id}/uncancel_subscription`, {});
    await dialog(page).getByLabel("Now").check();
    await press(page, "Cancel the subscription");
    await dialog(page)
      .getByText(/^You withdrew the cancellation on \w+ \d+, \d\d:\d\d.[AP]M\.$/)
      .waitFor();

    const subscription = await ask<SubscriptionDetails>("owner", "GET", `${api}/${id}/subscription_details`);
    const ending = { method: "DELETE", headers: { authorization: "Bearer sk_test_local" } };
    expect((await fetch(`${local().stripe_url}/v1/subscriptions/${subscription.id}`, ending)).ok).toBe(true);
    await eventually(async () => {
      expect(await ask<Member>("owner", "GET", `${api}/${id}`)).toMatchObject({ status: "canceled" });
    });
    await dialog(page).getByLabel("Now").check();
    await press(page, "Cancel the subscription");
    await dialog(page)
      .getByText(/^It was ended in Stripe on \w+ \d+, \d\d:\d\d.[AP]M\.$/)
      .waitFor();
    expect(await dialog(page).getByLabel("Now").count()).toBe(0);
  });

  it("an imported member is shown as imported, and a past period is not offered as the end, if Stripe cannot be asked", async () => {
    const owner = "other_owner";
    const community = { name: "Mezcal by Invoice", owner_id: people[owner].id };
    const { id } = await ask<Community>("admin", "POST", "/odis/v1/communities", { community });
    const path = `/odis/v1/communities/${id}`;
    const { id: tier_id } = await ask<Tier>(owner, "POST", `${path}/tiers`, {
      tier: { name: "Friend", monthly_price_dollars: 0 },
    });
    const record = {
      user: { email: "invoice@example.com", first_name: "Ines" },
      tier_id,
      status: "active",
      created_at: "2020-05-01T00:00:00.000Z",
      current_period_start: "2020-05-01T00:00:00.000Z",
      current_period_end: "2020-06-01T00:00:00.000Z",
    };
    const imported = await ask<ImportedMembers>(owner, "POST", `${path}/members/import`, { members: [record] });
    expect(imported.data[0]?.outcome).toBe("created");
    const { page } = browser;
    await page.route("**/subscription_details", (route) =>
      route.fulfill({ status: 500, json: { code: "internal", title: "Internal", status: 500 } }),
    );
    await open(page, owner, `#/communities/${id}/members/${imported.data[0]?.id}`);
    await page.getByText("Could not load the subscription").waitFor();
    await page.getByText("The membership continues until you end it.").waitFor();
    expect(await page.getByText("The current period ends on").count()).toBe(0);
    await button(page, "Cancel the subscription").click();
    await dialog(page).getByText("Ines loses access now, and the membership ends.").waitFor();
    expect(await dialog(page).getByLabel("At the end of the period").count()).toBe(0);
  });
});
