import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { verifyWebhook } from "../../client/webhooks.ts";
import { eventually } from "../support/eventually.ts";
import { faults } from "./access.ts";
import { ask, button, dialog, done, hasConsole, heading, open, useConsole } from "./console.ts";
import { enterTime, press } from "./money.ts";
import { change, create, destinations, path, secretIn, useReceiver } from "./receiver.ts";

const box = (page: Page, name: string) => dialog(page).getByRole("checkbox", { name, exact: true });

describe.skipIf(!hasConsole)("event destinations in the console, in Chromium", () => {
  const browser = useConsole();
  const receiver = useReceiver();

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

  it("a time span with a year of five digits has an error at its field, also when the form is opened again", async () => {
    const { page } = browser;
    const { id } = await create({ url: receiver.url, events: ["benefit.*"], description: "The late room" });
    await open(page, "owner", `${path}/${id}`);
    for (const name of ["since", "until"]) {
      await button(page, "Resend a time span").click();
      await enterTime(page, name, "20266-11-21T14:05");
      await press(page, "Close");
      await button(page, "Resend a time span").click();
      await dialog(page).getByText("Enter a time span to see which events are sent.").waitFor();
      await press(page, "Resend the events");
      await dialog(page).locator(".error").getByText("Enter a date and a time.").waitFor();
      expect(await dialog(page).locator(".error").count()).toBe(1);
      await press(page, "Discard");
      await press(page, "Close");
    }
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
});
