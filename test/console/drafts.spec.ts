import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { ApiKeyPage, Benefit, BenefitPage, InvitationPage, Member } from "../../client/schema.ts";
import { producers } from "../../tools/local/demo/demo.ts";
import { password } from "../../tools/local/users.ts";
import {
  ask,
  button,
  dialog,
  done,
  hasConsole,
  heading,
  isActive,
  local,
  memberWho,
  open,
  useConsole,
} from "./console.ts";
import { api, close, lose, press } from "./money.ts";

const benefits = "**/odis/v1/communities/1/benefits";
const openForm = (page: Page) => button(page, "Create a benefit").first().click();
const nameIn = (page: Page) => dialog(page).getByLabel("Name");

describe.skipIf(!hasConsole)("what the console keeps for a person, in Chromium", () => {
  const browser = useConsole();

  it("a half-filled form survives Escape, Back, a reload and an expired session, until it is discarded", async () => {
    const { page } = browser;
    await open(page, "owner", "#/communities/1/tiers");
    await page.getByRole("link", { name: "Benefits" }).click();
    await openForm(page);
    await nameIn(page).fill("Tasting in the cellar");
    const ways = [
      () => page.keyboard.press("Escape"),
      () => page.goBack().then(() => page.goForward()),
      () => page.reload(),
      () => signInAgain(page),
    ];
    for (const leave of ways) {
      await leave();
      await dialog(page).waitFor({ state: "detached" });
      await openForm(page);
      await dialog(page)
        .getByText(/^You entered this earlier/)
        .waitFor();
      expect(await nameIn(page).inputValue()).toBe("Tasting in the cellar");
    }
    await button(page, "Discard").click();
    expect(await nameIn(page).inputValue()).toBe("");
    await page.reload();
    await openForm(page);
    expect(await nameIn(page).inputValue()).toBe("");
  });

  it("what was entered for a record does not appear in the form of another record of the same name", async () => {
    const path = "/odis/v1/communities/1/benefits";
    const create = (description: string) =>
      ask<Benefit>("owner", "POST", path, { benefit: { name: "Twin tasting", description } });
    const twins = [await create("In spring"), await create("In autumn")];
    const page = await open(browser.page, "owner", "#/communities/1/benefits");
    const edit = button(page, "Edit Twin tasting");
    const description = dialog(page).getByLabel("Description");
    await edit.first().click();
    await description.fill("In summer");
    await page.keyboard.press("Escape");
    await edit.last().click();
    expect(await description.inputValue()).toBe("In autumn");
    await page.keyboard.press("Escape");
    await edit.first().click();
    expect(await description.inputValue()).toBe("In summer");
    const { api_url, tokens } = local();
    const headers = { authorization: `Bearer ${tokens.owner}` };
    for (const { id } of twins) await fetch(`${api_url}/odis/v1/benefits/${id}`, { method: "DELETE", headers });
  });

  it("what was entered for a new brand of a producer does not appear in the form of another producer", async () => {
    const page = await open(browser.page, "editor", `#/brands?producer=${producers[0]}`);
    await button(page, "Create a brand").click();
    await nameIn(page).fill("Casa Gemela");
    await page.keyboard.press("Escape");
    await page.getByLabel("Producer id").fill(producers[1]);
    await button(page, "Show the brands").click();
    await page.waitForURL((url) => url.hash.endsWith(producers[1]));
    await button(page, "Create a brand").click();
    expect(await nameIn(page).inputValue()).toBe("");
  });

  it("the comment of a cancellation that was not sent stays, and when it should end is chosen again", async () => {
    const { id } = await memberWho(isActive);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    const openCancel = () => button(page, "Cancel the subscription").click();
    const comment = dialog(page).getByLabel("Comment");
    await openCancel();
    await comment.fill("Moves to Lisbon in spring");
    await dialog(page).getByLabel("Now").check();
    for (const leave of [() => page.keyboard.press("Escape"), () => page.reload()]) {
      await leave();
      await dialog(page).waitFor({ state: "detached" });
      await openCancel();
      await dialog(page).getByText("You entered this earlier, and did not save it.").waitFor();
      expect(await comment.inputValue()).toBe("Moves to Lisbon in spring");
      expect(await dialog(page).getByLabel("Now").isChecked()).toBe(false);
    }
    await button(page, "Discard").click();
    expect(await comment.inputValue()).toBe("");
    await page.keyboard.press("Escape");
    await openCancel();
    await comment.waitFor();
    expect(await dialog(page).getByRole("button", { name: "Discard" }).count()).toBe(0);
  });

  it("a form whose answer was lost makes one record, and says so, if the page is reloaded and it is sent again", async () => {
    const { page } = browser;
    await open(page, "owner", "#/communities/1/benefits");
    await openForm(page);
    await nameIn(page).fill("A walk through the agaves");
    await page.route(benefits, async (route) => {
      if (route.request().method() === "POST") await route.fetch();
      await route.abort();
    });
    await dialog(page).getByRole("button", { name: "Create the benefit" }).click();
    await dialog(page).getByText("The server cannot be reached.").waitFor();
    await page.unroute(benefits);
    await page.reload();
    await openForm(page);
    await dialog(page).getByRole("button", { name: "Create the benefit" }).click();
    await dialog(page).getByText("This was done when it was sent earlier").waitFor();
    expect(await dialog(page).getByText("You entered this earlier").count()).toBe(0);
    expect(await nameIn(page).inputValue()).toBe("A walk through the agaves");
    await close(page);
    await openForm(page);
    expect(await nameIn(page).inputValue()).toBe("");
    expect(await dialog(page).getByText("You entered this earlier").count()).toBe(0);
    expect(await benefitsOf("A walk through the agaves")).toHaveLength(1);
  });

  it("a form whose answer was lost makes one record if a change is typed and taken back before it is sent again", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/benefits");
    await openForm(page);
    await nameIn(page).fill("Second thoughts");
    await lose(page, "Create the benefit", benefits);
    await nameIn(page).fill("Second thoughts about it");
    await close(page);
    await openForm(page);
    await dialog(page).getByText("You entered this earlier, and did not save it.").waitFor();
    await nameIn(page).fill("Second thoughts");
    await close(page);
    await openForm(page);
    await dialog(page).getByText("You entered this earlier. It is not known whether it was saved.").waitFor();
    await press(page, "Create the benefit");
    await dialog(page).getByText("This was done when it was sent earlier").waitFor();
    expect(await benefitsOf("Second thoughts")).toHaveLength(1);
  });

  it("an edit whose answer was lost, and that is taken back, shows what was saved when it is opened again", async () => {
    const benefit = { name: "A bottle a year", description: "A small one" };
    await ask("owner", "POST", "/odis/v1/communities/1/benefits", { benefit });
    const page = await open(browser.page, "owner", "#/communities/1/benefits");
    await button(page, `Edit ${benefit.name}`).click();
    const description = dialog(page).getByLabel("Description");
    await description.fill("A large one");
    await lose(page, "Save", "**/odis/v1/benefits/*");
    await description.fill(benefit.description);
    await close(page);
    await button(page, `Edit ${benefit.name}`).click();
    await description.waitFor();
    expect(await description.inputValue()).toBe("A large one");
    expect(await dialog(page).getByText("You entered this earlier").count()).toBe(0);
  });

  it("a block whose answer was lost, and that was undone, blocks again when it is sent again", async () => {
    const { id, user } = await memberWho(isActive);
    const page = await open(browser.page, "owner", `#/communities/1/members/${id}`);
    const block = button(page, /^Block$/);
    const submit = `Block ${user.first_name}`;
    await block.click();
    await dialog(page).getByLabel("Reason").fill("Rude in the chat");
    await lose(page, submit, "**/block");
    await page.reload();
    await button(page, "Unblock").click();
    await press(page, `Unblock ${user.first_name}`);
    await done(page, /is no longer blocked/);
    await block.click();
    await dialog(page).getByText("You entered this earlier. It is not known whether it was saved.").waitFor();
    expect(await dialog(page).getByLabel("Reason").inputValue()).toBe("Rude in the chat");
    await press(page, submit);
    await done(page, /is blocked/);
    expect(await ask<Member>("owner", "GET", `${api}/${id}`)).toMatchObject({ is_blocked: true });
    await button(page, "Unblock").click();
    await press(page, `Unblock ${user.first_name}`);
    await done(page, /is no longer blocked/);
  });

  it("an API key whose answer was lost, and that was revoked, is not shown, and is created when it is sent again", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/api-keys");
    await button(page, "Create a key").click();
    await nameIn(page).fill("Bakery");
    await lose(page, "Create the key", "**/communities/1/api_keys");
    await close(page);
    await button(page, "Revoke Bakery").click();
    await press(page, "Revoke the key");
    await done(page, "Bakery was revoked.");
    await button(page, "Create a key").click();
    await press(page, "Create the key");
    await dialog(page).getByText("This was done when it was sent earlier").waitFor();
    expect(await dialog(page).locator("code").count()).toBe(0);
    await press(page, "Create the key");
    const hint = await takeHint(page);
    expect(await hintsOf("Bakery")).toEqual([hint]);
  });

  it("an API key whose answer was lost is shown, and created once, when it is sent again", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/api-keys");
    await button(page, "Create a key").click();
    await nameIn(page).fill("Brewery");
    await lose(page, "Create the key", "**/communities/1/api_keys");
    await page.reload();
    await button(page, "Create a key").click();
    await press(page, "Create the key");
    const hint = await takeHint(page);
    expect(await hintsOf("Brewery")).toEqual([hint]);
  });

  it("an invitation whose answer was lost, and that was revoked, is made again when it is sent again", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/team");
    const email = "warehouse@example.com";
    await button(page, "Invite somebody").click();
    await dialog(page).getByLabel("Email").fill(email);
    await lose(page, "Invite", "**/communities/1/invitations");
    await close(page);
    const revoke = button(page, `Revoke the invitation of ${email}`);
    await revoke.click();
    await press(page, "Revoke the invitation");
    await done(page, "The invitation was revoked.");
    await button(page, "Invite somebody").click();
    await press(page, "Invite");
    await dialog(page).getByText("This was done when it was sent earlier").waitFor();
    await press(page, "Invite");
    await done(page, "The invitation was created. Copy its text and send it.");
    await revoke.waitFor();
    const { data } = await ask<InvitationPage>("owner", "GET", "/odis/v1/communities/1/invitations");
    expect(data.filter((one) => one.email === email)).toHaveLength(1);
  });

  it("a form that the API refused says that it was not saved when it is opened again", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/benefits");
    await openForm(page);
    await nameIn(page).fill("x".repeat(300));
    await press(page, "Create the benefit");
    await dialog(page).locator(".error").waitFor();
    await page.reload();
    await openForm(page);
    await dialog(page).getByText("You entered this earlier, and did not save it.").waitFor();
    await press(page, "Discard");
    expect(await nameIn(page).inputValue()).toBe("");
  });

  it("a form is sent although the browser has no room to keep what was entered", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/benefits");
    await page.evaluate(`(() => {
      for (let size = 2 ** 22, count = 0; size >= 1; size /= 2)
        try {
          for (;;) sessionStorage.setItem("fill " + count++, "x".repeat(size));
        } catch {}
    })()`);
    await openForm(page);
    await nameIn(page).fill("A full cellar");
    await press(page, "Create the benefit");
    await done(page, "The benefit was created.");
    await page.evaluate("sessionStorage.clear()");
    const { data } = await ask<BenefitPage>("owner", "GET", "/odis/v1/communities/1/benefits?per=100");
    expect(data.map(({ name }) => name)).toContain("A full cellar");
  });

  it("a new tab has the session of an open one, which ends in both when the person signs out", async () => {
    const { page } = browser;
    await open(page, "owner");
    const opened = page.context().waitForEvent("page");
    const address = JSON.stringify(`${local().api_url}/console#/communities/1/tiers`);
    // A tab that knows its opener gets a copy of the opener's storage.
    await page.evaluate(`void open(${address}, "", "noopener")`);
    const tab = await opened;
    await heading(tab, "Tiers").waitFor();
    expect(await tab.evaluate("localStorage.length")).toBe(0);
    await button(tab, "Sign out").click();
    for (const one of [tab, page]) await heading(one, "Sign in").waitFor();
    await page.reload();
    await heading(page, "Sign in").waitFor();
    await tab.close();
  });

  it("after one person has signed out, the next one sees nothing of the list that was kept for the way back", async () => {
    const { page } = browser;
    await open(page, "owner", "#/communities/1/members");
    await page.locator(".row-link").first().click();
    await page.getByRole("link", { name: "All members" }).waitFor();
    await button(page, "Sign out").click();
    await page.getByLabel("Email").fill("manager@example.com");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.locator(".person").waitFor();
    await page.route("**/communities/1/members?*", () => undefined);
    await page.evaluate("void (location.hash = '#/communities/1/members')");
    await heading(page, "Members").waitFor();
    expect(await page.locator(".row-link").count()).toBe(0);
  });
});

/** Closes the form that shows a new API key. @returns the last characters of the key */
async function takeHint(page: Page): Promise<string> {
  const key = await dialog(page).locator(".secret code").innerText();
  await press(page, "Done");
  return key.slice(-4);
}

/** The last characters of the API keys of a name. */
async function hintsOf(name: string): Promise<readonly string[]> {
  const { data } = await ask<ApiKeyPage>("owner", "GET", "/odis/v1/communities/1/api_keys");
  return data.filter((key) => key.name === name).map(({ hint }) => hint);
}

/** The benefits of a name. */
async function benefitsOf(name: string): Promise<readonly Benefit[]> {
  const { data } = await ask<BenefitPage>("owner", "GET", "/odis/v1/communities/1/benefits?per=100");
  return data.filter((benefit) => benefit.name === name);
}

/** Sends the form with a session that has expired, and signs in again. */
async function signInAgain(page: Page): Promise<void> {
  await page.route(benefits, (route) =>
    route.fulfill({ status: 401, json: { code: "invalid_token", title: "The token is invalid", status: 401 } }),
  );
  await dialog(page).getByRole("button", { name: "Create the benefit" }).click();
  await page.getByLabel("Password").fill(password);
  await page.unroute(benefits);
  await page.getByLabel("Email").fill("owner@example.com");
  await button(page, "Sign in").click();
  await page.locator(".person").waitFor();
}
