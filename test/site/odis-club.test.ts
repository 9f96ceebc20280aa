import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { createSignIn } from "../../client/odis.ts";
import { clubFiles } from "../../tools/build/site/club.ts";
import { hasBrowser } from "../support/chromium.ts";
import { useClubPage, windows } from "../support/club-page.ts";
import { eventually } from "../support/eventually.ts";

it("<odis-club> has at most 20 kB, with preact, the client and the sign-in, and the account at most 5.5 kB more", async () => {
  const { files, later } = await clubFiles();
  const sizes = Array.from(files, ([path, text]) => ({ bytes: gzipSync(text).length, isLater: later.includes(path) }));
  const sum = (isLater: boolean) =>
    sizes.reduce((bytes, size) => bytes + (size.isLater === isLater ? size.bytes : 0), 0);
  expect(sum(false)).toBeGreaterThan(10_000);
  expect(sum(false)).toBeLessThanOrEqual(20_000);
  expect(sum(true)).toBeGreaterThan(1000);
  expect(sum(true)).toBeLessThanOrEqual(5500);
});

it("the custom properties and slots of <odis-club> are those that the guide lists", () => {
  const guide = readFileSync("docs/guide.md", "utf8");
  const section = /^## A club in two lines$(.*?)^## /ms.exec(guide)?.[1] ?? "";
  const namesIn = (text: string, pattern: RegExp) =>
    new Set(Array.from(text.matchAll(pattern), ([, name = ""]) => name));
  const sources = ["club", "home", "loaded", "sign-up"].map((name) =>
    readFileSync(`site/club/src/${name}.tsx`, "utf8"),
  );
  const rows = Array.from(section.matchAll(/^\| (.*?) \|/gm), ([, cell]) => cell).join("\n");
  expect(namesIn(rows, /`(--odis-[\w-]+)`/g)).toEqual(
    namesIn(readFileSync("site/club/styles/club.css", "utf8"), /var\((--odis-[\w-]+)/g),
  );
  const slots = namesIn(sources.join("\n"), /<slot name="(\w+)"/g);
  expect(slots.size).toBeGreaterThan(5);
  const slotRows = section.slice(section.indexOf("| slot |"), section.indexOf("```html", section.indexOf("| slot |")));
  expect(namesIn(slotRows, /^\| `(\w+)` \|/gm)).toEqual(slots);
});

describe.skipIf(!hasBrowser("<odis-club>"))("<odis-club> on a plain page of another origin in Chromium", () => {
  const club = useClubPage(/status of 40[0-49]|net::ERR_FAILED/);
  const { button, check } = club;
  const accounts = () => {
    const { cognito_url: endpoint, environment } = club.stack.local;
    return createSignIn({ endpoint, userPoolId: environment.USER_POOL_ID, clientId: environment.CLIENT_ID });
  };
  const invite = async (email: string) => {
    const { api_url, tokens, communities } = club.stack.local;
    const id = communities.find(({ slug }) => slug === "mezcal-circle")?.id;
    const { status } = await fetch(`${api_url}/odis/v1/communities/${id}/invitations`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.admin}`, "content-type": "application/json" },
      body: JSON.stringify({ invitation: { email, role: "manager" } }),
    });
    return status;
  };
  let page: Page;
  beforeEach(() => {
    ({ page } = club);
  });

  it.each(windows)(
    "a person joins, pays, sees the receipt, cancels, takes it back, cancels again, and deletes the account: %i px, %s",
    async (width, colorScheme) => {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(`${club.origin}/?from=newsletter#club`);
      await button("Join Agave Friend").waitFor();
      await check("tiers");
      await club.signUp("Agave Friend", check);
      await button("Pay $10.00").click();

      await page.getByText("Welcome, Rosa! Your membership is active.").waitFor();
      expect(page.url()).toBe(`${club.origin}/?from=newsletter#club`);
      await check("welcome");
      await button("My account").click();
      const receipt = page.getByRole("listitem").filter({ hasText: "$10 · paid" });
      await receipt.getByRole("link", { name: "PDF" }).waitFor();
      await check("account");
      const opening = page.waitForEvent("popup");
      await receipt.getByRole("link", { name: "Receipt", exact: true }).click();
      const invoice = await opening;
      await invoice.getByText("$10.00").first().waitFor();
      await invoice.close();

      const cancel = async () => {
        await button("Cancel").click();
        await button("Cancel membership").click();
        await page.getByText(/Ends on/).waitFor();
      };
      await cancel();
      await check("canceled");
      await button("Keep membership").click();
      await page.getByText(/Renews on/).waitFor();
      await cancel();
      await page.getByText("Delete account", { exact: true }).click();
      await button("See what is deleted").click();
      await page.getByText("This cancels, now and without a refund: Agave Friend.").waitFor();
      await check("deletion");
      await button("Delete my account").click();
      await page.getByText("Your account was deleted.").waitFor();
      await button("Join Agave Friend").waitFor();
      await check("deleted");
    },
  );

  it("a page learns of access by an event, shows its own texts in slots, and gets the access token", async () => {
    club.lines = `<odis-club community="mezcal-circle"><h2 slot="heading">Our circle</h2><p slot="visitors">Try it</p>
<p slot="members">Our chat</p></odis-club>`;
    await page.addInitScript(
      "globalThis.changes = []; addEventListener('odis-access', (event) => changes.push(event.detail.granted));",
    );
    await page.goto(club.origin);
    await page.getByText("Try it").waitFor();
    expect(await page.getByText("Our chat").isVisible()).toBe(false);
    expect(await page.getByText("Mezcal Circle").isVisible()).toBe(false);
    const element = "document.querySelector('odis-club')";
    expect(await page.evaluate(`${element}.token()`)).toBe(undefined);
    await club.signIn();
    await page.getByText("Our chat").waitFor();
    expect(await page.getByText("Try it").isVisible()).toBe(false);
    const token = await page.evaluate<string>(`${element}.token()`);
    const response = await fetch(`${club.stack.local.api_url}/odis/v1/me`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
    expect(await page.evaluate(`${element}.access.membership.access.reason`)).toBe("active");
    await button("My account").click();
    await button("Sign out").click();
    await page.getByText("Try it").waitFor();
    expect(await page.evaluate("changes")).toEqual([false, true, false]);
  });

  it("a page sets colours and fonts, also if it has properties of the names that the element uses itself", async () => {
    club.lines = '<link rel="stylesheet" href="/club.css"><odis-club community="1"></odis-club>';
    await page.goto(club.origin);
    await button("Join Agave Friend").waitFor();
    const styleOf = (property: string) =>
      page.evaluate(
        `getComputedStyle(document.querySelector("odis-club").shadowRoot.querySelector("li button")).${property}`,
      );
    expect(await styleOf("backgroundColor")).toBe("rgb(0, 60, 120)");
    expect(await styleOf("fontFamily")).toBe("monospace");
  });

  it("the element is used with the keyboard, and a new view gets the focus", async () => {
    await page.goto(club.origin);
    await button("Sign in").waitFor();
    const focused = () => page.evaluate("document.querySelector('odis-club').shadowRoot.activeElement?.textContent");
    expect(await focused()).toBe(undefined);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Sign in");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Welcome back" }).waitFor();
    expect(await focused()).toBe("Welcome back");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Back to Mezcal Circle");
  });

  it("the script of the account is loaded when a member opens the account, and again if that fails", async () => {
    const scripts: string[] = [];
    page.on("request", (request) => scripts.push(...(request.url().match(/(?<=\/assets\/odis-club-)\w+/) ?? [])));
    let isOffline = true;
    await page.route("**/assets/odis-club-account-*.js", (route) => (isOffline ? route.abort() : route.continue()));
    await page.goto(club.origin);
    await club.signIn();
    expect(scripts).toEqual(["chunk"]);
    await button("My account").click();
    const alert = page.getByRole("alert");
    await alert.getByText("We could not reach the server. Check your connection and try again.").waitFor();
    await check("account that could not be loaded");
    isOffline = false;
    await button("Try again").click();
    await page.getByText("Signed in as member@example.com").waitFor();
    expect(scripts).toEqual(["chunk", "account", "account"]);
  });

  /** Imports a membership that has no subscription in Stripe, and opens the account of its person. */
  async function openImported(email: string, times: Record<string, string>) {
    const { api_url, tokens, communities } = club.stack.local;
    const { id = 0, tiers: [tier] = [] } = communities.find(({ slug }) => slug === "mezcal-circle") ?? {};
    const member = { id: Date.now(), user: { email }, tier_id: tier?.id, status: "active", ...times };
    const imported = await fetch(`${api_url}/odis/v1/communities/${id}/members/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.owner}`, "content-type": "application/json" },
      body: JSON.stringify({ members: [{ created_at: "2024-01-05T12:00:00.000Z", ...member }] }),
    });
    expect(imported.status).toBe(200);
    await page.goto(club.origin);
    await club.signIn(email);
  }

  it("a member whose paid period has passed sees no renewal, and ends the membership immediately", async () => {
    await openImported("stranger@example.com", {
      current_period_start: "2025-12-05T12:00:00.000Z",
      current_period_end: "2026-01-05T12:00:00.000Z",
    });
    await page.getByText("You are in: ").waitFor();
    expect(await page.getByText("2026").count()).toBe(0);
    await button("My account").click();
    await button("Cancel").click();
    expect(await page.getByText("2026").count()).toBe(0);
    await page.getByText("Your membership ends now.").waitFor();
    await check("end of a membership now");
    await button("Cancel membership").click();
    await page.getByText("Ended", { exact: true }).waitFor();
  });

  it("a member whose end was imported sees it, and takes it back", async () => {
    await openImported("other-owner@example.com", {
      current_period_start: "2126-01-15T12:00:00.000Z",
      current_period_end: "2126-02-15T12:00:00.000Z",
      cancel_at: "2126-01-15T12:00:00.000Z",
    });
    await page.getByText("Ends on January 15, 2126").waitFor();
    await button("My account").click();
    await page.getByText("Canceled", { exact: true }).waitFor();
    await page.getByText("Ends on January 15, 2126").waitFor();
    await button("Keep membership").click();
    await page.getByText("Paid until February 15, 2126").waitFor();
    expect(await button("Keep membership").count()).toBe(0);
  });

  it("a link to a tier scrolls to it", async () => {
    const { tiers = [] } = club.stack.local.communities.find(({ slug }) => slug === "mezcal-circle") ?? {};
    await page.setViewportSize({ width: 390, height: 500 });
    await page.goto(`${club.origin}#tier-${tiers.at(-1)?.id}`);
    await eventually(async () => expect(await page.evaluate<number>("scrollY")).toBeGreaterThan(500));
  });

  it("a person who returns from the checkout without a session is asked to sign in", async () => {
    const { id } = club.stack.local.communities.find(({ slug }) => slug === "mezcal-circle") ?? {};
    await page.goto(`${club.origin}/?odis-club=joined-${id}`);
    await page.getByText("Sign in to see your membership.").waitFor();
    await club.signIn();
    await page.getByText("Your membership is active.").waitFor();
    expect(page.url()).toBe(`${club.origin}/`);
  });

  it("a person who goes back from a tier and signs in later sees the tiers, and not the checkout", async () => {
    await page.goto(club.origin);
    await button("Join Agave Friend").click();
    await page.getByRole("button", { name: /^Back to / }).click();
    await club.signIn("stranger@example.com");
    await button("Join Agave Friend").waitFor();
    expect(page.url()).toBe(`${club.origin}/`);
  });

  it("a person whose token the API rejects is signed out and asked to sign in again", async () => {
    await page.goto(club.origin);
    await club.signIn();
    await page.evaluate(`(() => {
      const session = JSON.parse(localStorage.getItem("odis.session"));
      const accessToken = session.accessToken.replace(/.{8}$/, "AAAAAAAA");
      localStorage.setItem("odis.session", JSON.stringify({ ...session, accessToken }));
    })()`);
    await page.reload();
    await page.getByText("Your session has ended. Sign in again.").waitFor();
    await page.getByRole("heading", { name: "Welcome back" }).waitFor();
    await page.getByLabel("E-mail").fill("member@example.com");
    await page.getByLabel("Password").fill("Odis-local-1");
    await button("Sign in").click();
    await button("My account").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("a person whose sign-in fails after their account was confirmed confirms again and continues", async () => {
    const isSignIn = (target = "") => target.endsWith(".InitiateAuth");
    let failures = 0;
    await page.route(`${club.stack.local.cognito_url}/**`, (route) =>
      isSignIn(route.request().headers()["x-amz-target"]) && failures++ === 0 ? route.abort() : route.continue(),
    );
    await page.goto(club.origin);
    await club.signUp("Agave Friend");
    await page.getByText("We could not reach the server. Check your connection and try again.").waitFor();
    await button("Confirm").click();
    await button("Pay $10.00").or(page.getByText("That password is not right.")).waitFor();
    expect(await button("Pay $10.00").count()).toBe(1);
  });

  it("an invited person who signs up sets the password with the code that was emailed, and continues to the checkout", async () => {
    const email = "invited@example.com";
    expect(await invite(email)).toBe(201);
    await page.goto(club.origin);
    await club.signUp("Agave Friend", undefined, email);
    const setPassword = async () => {
      await page.getByText("Set it with the code that we have emailed to you.").waitFor();
      await page.getByRole("heading", { name: "Set a new password" }).waitFor();
      await page.getByText(`If there is an account for ${email}, it has got a code.`).waitFor();
    };
    const signIn = async (password: string) => {
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password").fill(password);
      await button("Sign in").click();
    };
    await setPassword();
    await button("Back to Mezcal Circle").click();
    await button("Join Agave Friend").click();
    await button("I have an account").click();
    await signIn("Rosa-likes-agave-1");
    await setPassword();
    await check("new password");
    await button("Send it again").click();
    await page.getByText("Sent.").waitFor();
    await page.getByLabel("Code of six digits").fill("000000");
    await page.getByLabel("New password").fill("Rosa-likes-agave-2");
    await button("Set the password").click();
    await page.getByText("Your new password is set. Sign in with it.").waitFor();
    await signIn("Rosa-likes-agave-2");
    await button("Pay $10.00").waitFor();
  });

  it("after each act the focus stays in the element", async () => {
    await page.goto(club.origin);
    await club.signUp("Agave Friend");
    await button("Pay $10.00").click();
    await button("My account").click();
    const press = async (name: string, result: Locator) => {
      await button(name).focus();
      await page.keyboard.press("Enter");
      await result.waitFor();
      const focused = await page.evaluate("document.querySelector('odis-club').shadowRoot.activeElement?.textContent");
      expect([name, focused]).toEqual([name, expect.stringMatching(/./)]);
    };
    await press("Cancel", button("Cancel membership"));
    await press("Cancel membership", button("Keep membership"));
    await press("Keep membership", button("Cancel"));
    await page.getByText("Name", { exact: true }).click();
    await press("Change name", page.getByText("Your name was changed."));
    await page.getByText("Delete account", { exact: true }).click();
    await press("See what is deleted", button("Delete my account"));
    await page.route("**/membership/change_subscription", (route) =>
      route.fulfill({ status: 409, contentType: "application/problem+json", json: { code: "payment_overdue" } }),
    );
    await press("Change your plan", button("Change to Ensamble Society"));
    await press("Change to Ensamble Society", page.getByRole("alert"));
  });

  it.each(["signs up again to", "forgot the password of"])(
    "a person who %s an account that was never confirmed confirms it and sets a new password",
    async (way) => {
      const email = `${way.replaceAll(" ", "-")}@example.com`;
      await accounts().signUp(email, "Strangers-1234");
      await page.goto(club.origin);
      if (way.startsWith("signs up")) await club.signUp("Agave Friend", undefined, email);
      else {
        await button("Sign in").click();
        await button("Forgot your password?").click();
        await page.getByLabel("E-mail").fill(email);
        await button("Send the code").click();
        await page.getByText(`We have sent a code to ${email}.`).waitFor();
        await page.getByLabel("Code of six digits").fill("000000");
        await button("Confirm").click();
      }
      await page.getByText("Now choose a new password.").waitFor();
      await page.getByLabel("Code of six digits").fill("000000");
      await page.getByLabel("New password").fill("Rosa-likes-agave-2");
      await button("Set the password").click();
      await page.getByText("Your new password is set. Sign in with it.").waitFor();
      expect(await accounts().signIn(email, "Rosa-likes-agave-2")).toMatchObject({ status: "signed_in" });
    },
  );

  it("a person who was invited after an unproven sign-up is led to a new password", async () => {
    const email = "unproven@example.com";
    await accounts().signUp(email, "Odis-local-1");
    await accounts().confirmSignUp(email, "000000");
    expect(await invite(email)).toBe(201);
    await page.goto(club.origin);
    await button("Sign in").click();
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill("Odis-local-1");
    await button("Sign in").click();
    await page.getByText(`If there is an account for ${email}, it has got a code.`).waitFor();
    await page.getByText("Reset the password to sign in.").waitFor();
    await accounts().resetPassword(email, "000000", "Odis-local-2");
    expect(await accounts().signIn(email, "Odis-local-2")).toMatchObject({ status: "signed_in" });
  });

  describe("a member without a current subscription", () => {
    const withMembership = (fields: object) =>
      page.route("**/communities/*/membership", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...((await response.json()) as object), ...fields } });
      });
    const withAccess = (access: object) => withMembership({ access });

    it("a member without access because of an unpaid invoice or a pause is not asked to update the card", async () => {
      await withAccess({ granted: false, reason: "unpaid" });
      await page.goto(club.origin);
      await club.signIn();
      await page.getByText("An invoice is not paid, or your membership is paused.").waitFor();
      expect(await page.getByRole("button", { name: /^(Join|Try|Update your card)/ }).count()).toBe(0);
      await check("unpaid");
    });

    it("a member with an overdue payment who cancels is told that it may still be taken", async () => {
      const overdue = { access: { granted: true, reason: "past_due" }, status: "past_due" };
      await withMembership(overdue);
      await page.goto(club.origin);
      await club.signIn();
      await button("My account").click();
      await button("Cancel").click();
      await page
        .getByText(/^Your membership ends on .* at the latest\. Until then, the overdue payment may still/)
        .waitFor();
      expect(await page.getByText("do not pay again").count()).toBe(0);
      await check("cancellation with an overdue payment");
      const access = { granted: true, reason: "canceling" };
      await withMembership({ ...overdue, access, cancel_at: "2126-01-15T12:00:00.000Z" });
      await page.reload();
      await button("My account").click();
      await page.getByText("Ends on January 15, 2126. Until then, the overdue payment may still be taken.").waitFor();
    });

    it("a member whose last payment failed updates the card and is not offered to join", async () => {
      await withAccess({ granted: true, reason: "past_due" });
      await page.goto(club.origin);
      await club.signIn();
      expect(await page.getByRole("button", { name: /^(Join|Try)/ }).count()).toBe(0);
      expect(await button("Update your card").count()).toBe(1);
      await check("past_due");
      await button("Update your card").click();
      await page.getByRole("link", { name: "Return" }).click();
      await page.getByRole("heading", { name: "My account" }).waitFor();
    });

    it("a former member is offered to join without a second trial", async () => {
      await page.route("**/communities/*/tiers*", async (route) => {
        const response = await route.fetch();
        const { data, ...list } = (await response.json()) as { data: object[] };
        await route.fulfill({ response, json: { ...list, data: data.map((tier) => ({ ...tier, trial_days: 14 })) } });
      });
      await page.goto(club.origin);
      await button("Try Agave Friend for 14 days").waitFor();
      await withAccess({ granted: false, reason: "ended" });
      await club.signIn();
      await page.getByText("Your membership has ended. Join again to come back.").waitFor();
      expect(await button("Try Agave Friend for 14 days").count()).toBe(0);
      expect(await button("Join Agave Friend").count()).toBe(1);
    });
  });

  it("the view stays if the membership cannot be loaded again in the background", async () => {
    await page.goto(club.origin);
    await club.signIn();
    await button("My account").click();
    await page.getByText("Signed in as member@example.com").waitFor();
    await page.route("**/communities/*/membership", (route) =>
      route.fulfill({ status: 404, headers: { "access-control-allow-origin": "*" } }),
    );
    const failing = page.waitForResponse("**/communities/*/membership");
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await failing;
    await page.evaluate("new Promise((done) => setTimeout(done, 500))");
    expect(await page.getByText("Signed in as member@example.com").count()).toBe(1);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("two clubs on a page share the session, and the attribute changes the club", async () => {
    club.lines = `<odis-club community="mezcal-circle"></odis-club><odis-club community="nothing"></odis-club>`;
    await page.goto(club.origin);
    await page.getByRole("heading", { name: "There is no such community" }).waitFor();
    const [, other] = club.stack.local.communities;
    await page.evaluate(`document.querySelectorAll("odis-club")[1].setAttribute("community", "${other?.id}")`);
    await page.getByRole("heading", { name: String(other?.name) }).waitFor();
    await button("Sign in").first().click();
    await page.getByLabel("E-mail").fill("member@example.com");
    await page.getByLabel("Password").fill("Odis-local-1");
    await button("Sign in").first().click();
    await button("My account").nth(1).waitFor();
    expect(await button("Sign in").count()).toBe(0);
  });

  it("a page that names another API is told what was found there", async () => {
    club.lines = `<odis-club community="1" api="${club.origin}"></odis-club>`;
    await page.route(`${club.origin}/.well-known/**`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<html>" }),
    );
    await page.goto(club.origin);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("is not Odis: 200 text/html");
    club.lines = "<odis-club></odis-club>";
    await page.goto(club.origin);
    await page.getByRole("heading", { name: "There is no such community" }).waitFor();
  });
});
