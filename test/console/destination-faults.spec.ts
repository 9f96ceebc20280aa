import { describe, expect, it } from "vitest";
import type { Destination } from "../../client/schema.ts";
import { password } from "../../tools/local/users.ts";
import { eventually } from "../support/eventually.ts";
import { ask, button, dialog, done, hasConsole, heading, local, open, useConsole } from "./console.ts";
import { close, lose, losing, press } from "./money.ts";
import { change, create, destinations, path, removeAll, secretIn, useReceiver } from "./receiver.ts";

describe.skipIf(!hasConsole)(
  "event destinations when something fails or somebody else changes them, in Chromium",
  () => {
    const browser = useConsole();
    const receiver = useReceiver();

    it("a destination whose response was lost is added once, and its secret is shown", async () => {
      const { page } = browser;
      await open(page, "owner", path);
      await button(page, "Add a destination").click();
      await dialog(page).getByLabel("URL").fill("http://127.0.0.1:9/lost");
      const { keys, restore } = await losing(page, "**/communities/1/event_destinations", "after");
      await press(page, "Add the destination");
      await dialog(page).getByText("The server cannot be reached.").waitFor();
      await restore();
      await press(page, "Add the destination");
      await dialog(page).getByText("Copy the secret now. It is never shown again.").waitFor();
      const secret = await secretIn(page);
      expect(keys.size).toBe(1);
      const added = (await destinations()).filter(({ url }) => url === "http://127.0.0.1:9/lost");
      expect(added.map(({ secret_hint }) => secret_hint)).toEqual([secret.slice(-4)]);
    });

    it("a secret whose response was lost is shown if the form is opened and sent again, unless the secret has ended", async () => {
      const { page } = browser;
      const at = async (url: string) => (await destinations()).filter((destination) => destination.url === url);
      await open(page, "owner", path);
      for (const isDeleted of [false, true]) {
        const url = `http://127.0.0.1:9/${isDeleted ? "deleted" : "again"}`;
        await button(page, "Add a destination").click();
        await dialog(page).getByLabel("URL").fill(url);
        await lose(page, "Add the destination", "**/communities/1/event_destinations");
        await close(page);
        const [added] = await at(url);
        if (isDeleted) await removeAll(({ id }) => id === added?.id);
        await button(page, "Add a destination").click();
        await press(page, "Add the destination");
        if (isDeleted) {
          await dialog(page).getByText("This was done when it was sent earlier").waitFor();
          expect(await at(url)).toEqual([]);
        } else {
          await dialog(page).getByText("Copy the secret now. It is never shown again.").waitFor();
          const secret = await secretIn(page);
          expect(await at(url)).toMatchObject([{ id: added?.id, secret_hint: secret.slice(-4) }]);
          await press(page, "Done");
        }
      }
    });

    it("a new secret whose response was lost is shown if the form is opened and sent again, unless it was replaced", async () => {
      const { page } = browser;
      const { id } = await create({ url: receiver.url, events: ["tier.*"], description: "The secret room" });
      const stored = () => ask<Destination>("owner", "GET", `/odis/v1/event_destinations/${id}`);
      await open(page, "owner", `${path}/${id}`);
      for (const isReplaced of [false, true]) {
        await button(page, "New secret").click();
        await lose(page, "Make a new secret", "**/rotate_secret");
        for (const name of [/^1 hour/, /^24 hours/]) await dialog(page).getByRole("radio", { name }).check();
        await close(page);
        if (isReplaced) await ask("owner", "POST", `/odis/v1/event_destinations/${id}/rotate_secret`, {});
        const { secret_hint } = await stored();
        await button(page, "New secret").click();
        await press(page, "Make a new secret");
        if (isReplaced) {
          await dialog(page).getByText("This was done when it was sent earlier").waitFor();
          expect(await dialog(page).locator("code").count()).toBe(0);
        } else {
          await dialog(page).getByText("Copy the secret now. It is never shown again.").waitFor();
          expect((await secretIn(page)).slice(-4)).toBe(secret_hint);
          await press(page, "Done");
        }
        expect(await stored()).toMatchObject({ secret_hint });
      }
    });

    it("a destination whose response was lost is in the list after the dialog was closed", async () => {
      const { page } = browser;
      await open(page, "owner", path);
      await button(page, "Add a destination").click();
      await dialog(page).getByLabel("URL").fill("http://127.0.0.1:9/closed");
      const { restore } = await losing(page, "**/communities/1/event_destinations", "after");
      await press(page, "Add the destination");
      await dialog(page).getByText("The server cannot be reached.").waitFor();
      await restore();
      await press(page, "Close");
      await page.getByText("http://127.0.0.1:9/closed").waitFor();
      expect(await page.getByText("http://127.0.0.1:9/closed").count()).toBe(1);
    });

    it("a change whose response was lost, or that is saved after a delivery, is no conflict", async () => {
      const { page } = browser;
      const { id } = await create({ url: receiver.url, events: ["benefit.*"], description: "The busy room" });
      await open(page, "owner", `${path}/${id}`);
      await button(page, "Disable").click();
      await dialog(page).getByText("Nothing more is sent to it.").waitFor();
      const { restore } = await losing(page, `**/event_destinations/${id}`, "after");
      await press(page, "Disable the destination");
      await dialog(page).getByText("The server cannot be reached.").waitFor();
      await restore();
      await press(page, "Disable the destination");
      await done(page, "The busy room was disabled.");
      await button(page, "Enable").click();
      await press(page, "Enable the destination");
      await done(page, "The busy room was enabled.");

      await button(page, "Edit").click();
      await dialog(page).getByLabel("Description").fill("The calm room");
      receiver.answer = 200;
      await change();
      await eventually(async () =>
        expect((await destinations()).find((destination) => destination.id === id)?.last_success_at).toBeTruthy(),
      );
      await press(page, "Save");
      await done(page, "The event destination was saved.");
    });

    it("a person who edits a destination that another tab has changed sees both versions", async () => {
      const { page } = browser;
      const { id } = await create({ url: receiver.url, events: ["tier.*"], description: "The shared room" });
      await open(page, "owner", `${path}/${id}`);
      await button(page, "Edit").click();
      await dialog(page).getByLabel("Description").fill("My room");
      await ask("owner", "PATCH", `/odis/v1/event_destinations/${id}`, { event_destination: { events: ["*"] } });
      await press(page, "Save");
      await dialog(page).getByText("Someone else changed this while you were editing").waitFor();
      await press(page, "Save my changes");
      await done(page, "The event destination was saved.");
      const saved = (await destinations()).find((destination) => destination.id === id);
      expect(saved).toMatchObject({ description: "My room", events: ["*"] });
    });

    it("a person whose session has ended is asked to sign in, and comes back to the destination", async () => {
      const { page } = browser;
      const { id, description } = await create({
        url: receiver.url,
        events: ["tier.*"],
        description: "The quiet room",
      });
      await open(page, "owner", `${path}/${id}`);
      await button(page, "Send a ping").click();
      await page.route("**/ping", (route) =>
        route.fulfill({
          status: 401,
          contentType: "application/problem+json",
          body: JSON.stringify({ code: "expired_token", status: 401 }),
        }),
      );
      await press(page, "Send a ping");
      await page.getByText("Your session has ended").waitFor();
      await page.getByLabel("Email").fill("owner@example.com");
      await page.getByLabel("Password").fill(password);
      await button(page, "Sign in").click();
      await heading(page, description).waitFor();
      expect(page.url()).toBe(`${local().api_url}/console${path}/${id}`);
    });
  },
);
