import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Benefit, Destination, DestinationPage } from "../../client/schema.ts";
import { verifyWebhook } from "../../client/webhooks.ts";
import { password } from "../../tools/local/users.ts";
import { eventually } from "../support/eventually.ts";
import { faults } from "./access.ts";
import { ask, button, dialog, done, hasConsole, heading, local, open, useConsole } from "./console.ts";
import { losing, press } from "./money.ts";

const api = "/odis/v1/communities/1/event_destinations";
const path = "#/communities/1/event-destinations";

/** A receiver of events on this machine, which answers with a status code that the test chooses. */
function createReceiver() {
  const requests: { readonly headers: Record<string, string>; readonly body: string }[] = [];
  const receiver = { answer: 500, requests, url: "" };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    response.writeHead(receiver.answer).end();
  };
  const server = createServer((request, response) => void receive(request, response));
  const start = async (): Promise<void> => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  };
  const stop = (): void => void server.close();
  return Object.assign(receiver, { start, stop });
}

const destinations = async (): Promise<readonly Destination[]> =>
  (await ask<DestinationPage>("owner", "GET", `${api}?per=100`)).data;

const create = (event_destination: { readonly url: string; readonly events: string[]; readonly description: string }) =>
  ask<Destination>("owner", "POST", api, { event_destination });

/** Deletes the matching destinations. */
async function removeAll(found: (destination: Destination) => boolean): Promise<void> {
  const { api_url, tokens } = local();
  const headers = { authorization: `Bearer ${tokens.owner}` };
  for (const { id } of (await destinations()).filter(found))
    await fetch(`${api_url}/odis/v1/event_destinations/${id}`, { method: "DELETE", headers });
}

/** A change in the community, which has the event `benefit.created`. */
const change = (): Promise<Benefit> =>
  ask("owner", "POST", "/odis/v1/communities/1/benefits", { benefit: { name: "Barrel tasting" } });

/** The secret in the dialog. */
const secretIn = (page: Page): Promise<string> => dialog(page).locator(".secret code").innerText();

const box = (page: Page, name: string) => dialog(page).getByRole("checkbox", { name, exact: true });

describe.skipIf(!hasConsole)("event destinations in the console, in Chromium", () => {
  const browser = useConsole();
  const receiver = createReceiver();
  const others = new Set<number>();
  beforeAll(async () => {
    await receiver.start();
    for (const { id } of await destinations()) others.add(id);
  });
  // Later tests, also those of other files, have no receiver for the destinations of earlier ones.
  afterEach(() => removeAll(({ id }) => !others.has(id)));
  afterAll(() => receiver.stop());

  it("an owner adds a destination, finds out why deliveries fail, and resends them once the receiver works", async () => {
    const { page } = browser;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(page, "owner");
    await page.getByRole("link", { name: "Event destinations" }).click();
    await button(page, "Add a destination").click();
    await dialog(page).getByLabel("URL").fill("not a URL");
    await box(page, "Everything, also types that are added later").uncheck();
    await press(page, "Add the destination");
    await dialog(page).getByText("Enter a URL, such as https://example.com/odis.").waitFor();
    await dialog(page).getByText("Choose at least one.").waitFor();
    await dialog(page).getByLabel("URL").fill("http://example.com/events");
    await dialog(page).getByText("Single types of benefit.*").click();
    await box(page, "benefit.created").check();
    await box(page, "Everything of dispute.*").check();
    await press(page, "Add the destination");
    await dialog(page).locator(".error").getByText("Must be an https URL").waitFor();
    await dialog(page).getByLabel("URL").fill(receiver.url);
    await dialog(page).getByLabel("Description").fill("The barrel room");
    await press(page, "Add the destination");
    await dialog(page).getByText("Copy the secret now. It is never shown again.").waitFor();
    const secret = await secretIn(page);
    await press(page, "Copy the secret");
    await dialog(page).getByText("The secret was copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
    expect(await faults(page, "a secret")).toEqual([]);
    await press(page, "Done");
    await page.getByText("benefit.created, dispute.*").waitFor();
    await page.getByRole("link", { name: "The barrel room" }).click();
    await heading(page, "The barrel room").waitFor();
    await page.getByText("Nothing was sent yet").waitFor();

    await button(page, "Send a ping").click();
    await press(page, "Send a ping");
    await dialog(page)
      .getByText(/^The ping failed: answered 500, after [\d,]+ ms\.$/)
      .waitFor();
    receiver.answer = 204;
    await press(page, "Ping again");
    await dialog(page)
      .getByText(/^The receiver works: answered 204, after [\d,]+ ms\.$/)
      .waitFor();
    await press(page, "Close");

    receiver.answer = 500;
    receiver.requests.length = 0;
    const { id } = await change();
    await eventually(async () => {
      await button(page, "Refresh").click();
      expect((await page.locator(".delivery").allInnerTexts()).join()).toMatch(/benefit\.created Will be sent again/);
    });
    await page.getByText("benefit.created", { exact: true }).click();
    await page.getByRole("cell", { name: "answered 500" }).first().waitFor();
    expect(await faults(page, "a failed delivery")).toEqual([]);

    receiver.answer = 200;
    await button(page, /^Resend benefit.created/).click();
    await press(page, "Resend the event");
    await done(page, /^The event will be sent within seconds\./);
    await eventually(async () => {
      await button(page, "Refresh").click();
      expect((await page.locator(".delivery").allInnerTexts()).join()).toMatch(/benefit\.created Delivered/);
    });
    await page.getByRole("cell", { name: "answered 200" }).first().waitFor();
    const { headers, body } = receiver.requests.at(-1) ?? { headers: {}, body: "" };
    expect(await verifyWebhook(body, headers, secret)).toMatchObject({ data: { benefit: { id } } });
  });

  it("an owner resends the events of a time span, and reads what is wrong with a span that the API refuses", async () => {
    const { page } = browser;
    const { id } = await create({ url: receiver.url, events: ["benefit.*"], description: "The spare room" });
    receiver.answer = 200;
    receiver.requests.length = 0;
    await change();
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    await open(page, "owner", `${path}/${id}`);
    await button(page, "Resend a time span").click();
    await dialog(page).getByLabel("Since").fill("2020-01-01T00:00");
    await dialog(page).getByLabel("Events", { exact: true }).selectOption("Delivered events");
    await dialog(page)
      .getByText(/^Delivered events from Jan 1, 2020, 12:00.AM until now are sent once more/)
      .waitFor();
    await press(page, "Resend the events");
    await dialog(page).locator(".error").getByText("30 days").waitFor();
    await dialog(page).getByLabel("Since").fill("");
    await press(page, "Resend the events");
    await dialog(page).getByText("Enter a date and a time.").waitFor();
    await dialog(page)
      .getByLabel("Since")
      .fill(new Date(Date.now() - 3_600_000).toISOString().slice(0, 16));
    await press(page, "Resend the events");
    await done(page, /^The events are being sent\./);
    await eventually(() => expect(receiver.requests).toHaveLength(2));
    const [first, second] = receiver.requests.map(({ headers }) => headers["webhook-id"]);
    expect(second).toBe(first);

    await ask("owner", "PATCH", `/odis/v1/event_destinations/${id}`, { event_destination: { status: "disabled" } });
    await button(page, "Resend a time span").click();
    await press(page, "Resend the events");
    await dialog(page).getByText("This event destination is disabled. Enable it first.").waitFor();
    await press(page, "Close");
    await page.route("**/resend", (route) =>
      route.fulfill({
        status: 429,
        headers: { "retry-after": "60" },
        contentType: "application/problem+json",
        body: JSON.stringify({ code: "too_many_requests", status: 429 }),
      }),
    );
    await button(page, "Resend a time span").click();
    await press(page, "Resend the events");
    await dialog(page)
      .getByText("Another time span is still being sent, or there were too many requests. Try again in a minute.")
      .waitFor();
  });

  it("an owner edits, disables and enables a destination, ends a leaked secret at once, and deletes the destination", async () => {
    const { page } = browser;
    const { id } = await create({ url: receiver.url, events: ["tier.*"], description: "The old room" });
    const find = async () => (await destinations()).find((destination) => destination.id === id);
    await open(page, "owner", `${path}/${id}`);
    await button(page, "Edit").click();
    await dialog(page).getByLabel("Description").fill("The new room");
    await box(page, "Everything of tier.*").uncheck();
    await box(page, "Everything of payment.*").check();
    await press(page, "Save");
    await done(page, "The event destination was saved.");
    await heading(page, "The new room").waitFor();
    expect(await find()).toMatchObject({ description: "The new room", events: ["payment.*"], url: receiver.url });

    await button(page, "Disable").click();
    await dialog(page).getByText("events that occur while it is disabled are never sent").waitFor();
    await press(page, "Disable the destination");
    await done(page, "The new room was disabled.");
    await page.getByText("Somebody disabled it.").waitFor();
    await button(page, "Enable").click();
    await dialog(page).getByText("let your receiver read all records again").waitFor();
    await press(page, "Enable the destination");
    await done(page, "The new room was enabled.");
    expect(await find()).toMatchObject({ status: "enabled" });

    await button(page, "New secret").click();
    await dialog(page)
      .getByRole("radio", { name: /^No time: it has leaked/ })
      .check();
    await dialog(page).getByText("From now on, events are signed with the new secret only.").waitFor();
    await press(page, "Make a new secret");
    await dialog(page).getByText("Copy the secret now. It is never shown again.").waitFor();
    const secret = await secretIn(page);
    await press(page, "Done");
    await page.getByText(`Ends in ${secret.slice(-4)}`).waitFor();
    receiver.answer = 200;
    receiver.requests.length = 0;
    await button(page, "Send a ping").click();
    await press(page, "Send a ping");
    await dialog(page)
      .getByText(/^The receiver works/)
      .waitFor();
    await press(page, "Close");
    const [ping] = receiver.requests;
    expect(ping?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    expect(await verifyWebhook(ping?.body ?? "", ping?.headers ?? {}, secret)).toMatchObject({ type: "ping" });

    await button(page, "Delete").click();
    await dialog(page).getByText("This cannot be undone.").waitFor();
    await press(page, "Delete the destination");
    await done(page, "The new room was deleted.");
    await heading(page, "Event destinations").waitFor();
    expect(await find()).toBeUndefined();
  });

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
    const { id, description } = await create({ url: receiver.url, events: ["tier.*"], description: "The quiet room" });
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
});
