import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { people } from "../../tools/local/demo/people.ts";
import { eventually } from "../support/eventually.ts";
import { ask, button, dialog, done, hasConsole, heading, local, open, setPassword, useConsole } from "./console.ts";
import { close, losing, press } from "./money.ts";

const team = "/odis/v1/communities/1/team";

describe.skipIf(!hasConsole)("teams in the console", () => {
  const browser = useConsole();
  afterAll(removeEditor);

  it("a person accepts an invitation, and sees only what the role may do", async () => {
    const { page } = browser;
    const invitation = { email: "editor@example.com", role: "viewer" };
    await ask("owner", "POST", "/odis/v1/communities/1/invitations", { invitation });
    await open(page, "editor", "#/communities");
    await button(page, /^Accept /).click();
    await dialog(page).getByRole("button", { name: "Join the team" }).click();
    // Another file may have renamed the community.
    const { name } = await ask<{ name: string }>("owner", "GET", "/odis/v1/communities/1");
    await page.getByRole("link", { name: new RegExp(`${name}.*Viewer`) }).click();
    await heading(page, "Overview").waitFor();
    const links = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allTextContents();
    expect(links).toEqual(["Overview", "Tiers", "Benefits", "Brands"]);
    await page.getByRole("link", { name: "Tiers" }).click();
    await heading(page, "Tiers").waitFor();
    await page.locator(".record").first().waitFor();
    expect(await button(page, "Create a tier").count()).toBe(0);
    expect(await button(page, /^Edit /).count()).toBe(0);
  });

  it("an invited person without an account creates one where the copied text leads, and joins the team", async () => {
    const { page } = browser;
    const email = "nina@example.com";
    const invitation = { email, role: "viewer" };
    await ask("owner", "POST", "/odis/v1/communities/1/invitations", { invitation });
    await page.addInitScript("navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }");
    await open(page, "owner", "#/communities/1/team");
    await button(page, `Copy text for ${email}`).click();
    await page.getByText(`The text for ${email} was copied.`).first().waitFor();
    const copied = await page.evaluate<string>("copied");
    expect(copied).toContain("or create an account with this address there");
    await button(page, "Sign out").click();
    await heading(page, "Sign in").waitFor();

    await page.goto(/https?:[^\s,]+/.exec(copied)?.[0] ?? "");
    await button(page, "Create an account").click();
    await page.getByLabel("First name").fill("Nina");
    await page.getByLabel("Last name").fill("Neu");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill("Ninas-password-1");
    await button(page, "Create account").click();
    await page.getByText(`We have sent a code to ${email}.`).waitFor();
    await page.getByLabel("Code from the email").fill("000000");
    await button(page, "Confirm").click();
    await setPassword(page);
    await page.goto(`${local().api_url}/console#/communities`);
    await button(page, /^Accept /).click();
    await dialog(page).getByRole("button", { name: "Join the team" }).click();
    await page.getByRole("link", { name: /Viewer/ }).waitFor();
    const { data } = await ask<{ data: { user: { id: number; email: string } }[] }>("owner", "GET", team);
    const id = data.find(({ user }) => user.email === email)?.user.id;
    const headers = { authorization: `Bearer ${local().tokens.owner}` };
    expect((await fetch(`${local().api_url}${team}/${id}`, { method: "DELETE", headers })).status).toBe(204);
  });

  it("the buttons of a person in the team are beside the name on a desktop, and the role is as wide as its text", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/team");
    const person = page.locator(".record", { hasText: "Sam Support" });
    const [name, remove, role] = await Promise.all(
      [person.getByRole("heading"), person.getByRole("button", { name: "Remove" }), person.locator(".badge")].map(
        async (part) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 },
      ),
    );
    expect(remove?.x).toBeGreaterThan((name?.x ?? 0) + 300);
    expect(remove?.y).toBeLessThan((role?.y ?? 0) + (role?.height ?? 0));
    expect(role?.width).toBeLessThan(120);
  });

  it("an owner changes a role and copies the text of an invitation", async () => {
    const { page } = browser;
    await open(page, "owner", "#/communities/1/team");
    await button(page, "Change role of Mona Manager").click();
    await dialog(page)
      .getByRole("radio", { name: /^Support/ })
      .check();
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByText("The role of Mona Manager was changed.").first().waitFor();
    const changed = await ask<{ data: { role: string; user: { id: number } }[] }>("owner", "GET", team);
    expect(changed.data.find(({ user }) => user.id === 7)?.role).toBe("support");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(page, "Copy text for lola@example.com").click();
    await done(page, "The text for lola@example.com was copied.");
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("Sign in as lola@example.com");
  });

  it("an owner who changes a role that somebody else has changed sees both roles, and an unchanged role is not sent", async () => {
    const path = `${team}/7`;
    const patch = (role: string) => ask("owner", "PATCH", path, { team_member: { role } });
    const stored = async () => {
      const { data } = await ask<{ data: { role: string; user: { id: number } }[] }>("owner", "GET", team);
      return data.find(({ user }) => user.id === 7)?.role;
    };
    await patch("support");
    const page = await open(browser.page, "owner", "#/communities/1/team");
    await button(page, "Change role of Mona Manager").click();
    await dialog(page)
      .getByRole("radio", { name: /^Manager/ })
      .check();
    await patch("viewer");
    await press(page, "Save");
    await dialog(page).getByText("Someone else changed this while you were editing").waitFor();
    expect(await dialog(page).getByRole("region", { name: "Role" }).innerText()).toMatch(/Viewer[^]*Manager/);
    expect(await stored()).toBe("viewer");

    await press(page, "Keep the saved version");
    await dialog(page).getByText("No changes yet.").waitFor();
    await patch("support");
    await press(page, "Save");
    await dialog(page).getByText("There are no changes. Choose another role, or close this form.").waitFor();
    expect(await stored()).toBe("support");
    await close(page);
  });

  it("a text that the browser does not allow to be copied is shown until the person has copied it", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/team");
    await page.evaluate(
      "navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))",
    );
    const shown = page.waitForEvent("dialog");
    const clicked = button(page, "Copy text for lola@example.com").click();
    expect((await shown).defaultValue()).toContain("Sign in as lola@example.com");
    await (await shown).dismiss();
    await clicked;
  });

  it("an owner whose revocation lost its response revokes again, and finds the invitation gone after closing", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/team");
    for (const isRepeated of [true, false]) {
      const invitation = { email: "nils@example.com", role: "viewer" };
      await ask("owner", "POST", "/odis/v1/communities/1/invitations", { invitation });
      await page.reload();
      await button(page, /^Revoke .*nils@example.com/).click();
      const { restore } = await losing(page, "**/invitations/*", "after");
      await press(page, "Revoke the invitation");
      await dialog(page).getByText("The server cannot be reached.").waitFor();
      await restore();
      if (isRepeated) {
        await press(page, "Revoke the invitation");
        await done(page, "The invitation was revoked.");
      } else await close(page);
      await eventually(async () => expect(await page.getByText("nils@example.com").count()).toBe(0));
    }
  });

  it.each(["accepted", "replaced"] as const)(
    "a revocation of an invitation that was %s in the meantime says so, and is not reported as done",
    async (how) => {
      await removeEditor();
      const invite = () =>
        ask<{ id: string }>("owner", "POST", "/odis/v1/communities/1/invitations", {
          invitation: { email: "editor@example.com", role: "viewer" },
        });
      const { id } = await invite();
      const page = await open(browser.page, "owner", "#/communities/1/team");
      await button(page, /^Revoke .*editor@example.com/).click();
      if (how === "accepted") await ask("editor", "POST", `/odis/v1/invitations/${id}/accept`);
      else await invite();
      await press(page, "Revoke the invitation");
      const text = "This invitation is no longer open: the person has joined, or was invited again. Check the list.";
      await dialog(page).getByText(text).waitFor();
      await close(page);
      const revoke = button(page, /^Revoke .*editor@example.com/);
      await eventually(async () => expect(await revoke.count()).toBe(how === "accepted" ? 0 : 1));
    },
  );

  it("a person who joins a team is told so, and sees the invitation no more, although the list cannot be loaded again", async () => {
    const page = await openInvited(browser.page);
    await button(page, /^Accept /).click();
    const { restore } = await losing(page, "**/odis/v1/me", "before");
    await press(page, "Join the team");
    await done(page, /^You are in the team of /);
    const failure = page.getByRole("alert").filter({ hasText: "Could not load your communities and invitations" });
    await failure.waitFor();
    expect(await button(page, /^Accept /).count()).toBe(0);
    await restore();
    await button(page, "Try again").click();
    await page.getByRole("link", { name: /Viewer/ }).waitFor();
    await failure.waitFor({ state: "detached" });
    const { data } = await ask<{ data: { user: { id: number } }[] }>("owner", "GET", team);
    expect(data.map(({ user }) => user.id)).toContain(people.editor.id);
  });

  it("a person whose refusal of an invitation lost its response declines again", async () => {
    const page = await openInvited(browser.page);
    await button(page, /^Decline /).click();
    const { restore } = await losing(page, "**/invitations/*", "after");
    await press(page, "Decline the invitation");
    await dialog(page).getByText("The server cannot be reached.").waitFor();
    await restore();
    await press(page, "Decline the invitation");
    await done(page, "The invitation was declined.");
    await eventually(async () => expect(await button(page, /^Decline /).count()).toBe(0));
  });
});

/** Removes the editor from the team. */
async function removeEditor(): Promise<void> {
  const { api_url, tokens } = local();
  const headers = { authorization: `Bearer ${tokens.owner}` };
  await fetch(`${api_url}${team}/${people.editor.id}`, { method: "DELETE", headers });
}

/** Invites the editor, who is not in the team, and opens the list of their invitations. */
async function openInvited(page: Page): Promise<Page> {
  await removeEditor();
  const invitation = { email: "editor@example.com", role: "viewer" };
  await ask("owner", "POST", "/odis/v1/communities/1/invitations", { invitation });
  return open(page, "editor", "#/communities");
}
