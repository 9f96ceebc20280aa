import type { Page } from "playwright-core";
import type { Community, Destination, DestinationPage, Member } from "../../client/schema.ts";
import { producers } from "../../tools/local/demo/demo.ts";
import { people } from "../../tools/local/demo/people.ts";
import { ask, button, dialog, heading, isActive, members, paidMember, type Who } from "./console.ts";

/** A page to check, and how to open it. */
export type Sight = {
  readonly name: string;
  readonly who: Who;
  readonly path: string;
  /** Runs before the page is opened, for example to make a request fail. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** Runs once the page is open. */
  readonly after?: (page: Page) => Promise<unknown>;
};

/** A dialog, and the button that opens it. */
export type DialogSight = Sight & { readonly opener: string | RegExp };

const root = "#/communities/1";

const refuse = (page: Page, url: string, status: number, code: string) =>
  page.route(
    url,
    (route) =>
      route.fulfill({ status, contentType: "application/problem+json", body: JSON.stringify({ code, status }) }),
    { times: 1 },
  );

/** The last matching member, because tests that change members use the first one. @throws Error if there is none */
async function lastMember(isLike: (member: Member) => boolean): Promise<Member> {
  const member = (await members()).findLast(isLike);
  if (!member) throw new Error("The demo has no member like this");
  return member;
}

const eventDestinations = "/odis/v1/communities/1/event_destinations";

/** The path of the page of the first event destination. It is disabled. */
async function destinationPath(): Promise<string> {
  const { data } = await ask<DestinationPage>("owner", "GET", eventDestinations);
  return `${root}/event-destinations/${data[0]?.id}`;
}

/** The path of the page of an event destination with a URL of 2,000 characters and many events. Nothing is sent to it. */
async function longDestinationPath(): Promise<string> {
  const events = ["access.*", "member.*", "payment.*", "refund.*", "dispute.*", "community.*", "tier.*", "benefit.*"];
  const event_destination = { url: `https://example.com/${"a".repeat(1980)}`, events, description: "b".repeat(200) };
  const { id } = await ask<Destination>("owner", "POST", eventDestinations, { event_destination });
  const disabled = { event_destination: { status: "disabled" } };
  await ask<Destination>("owner", "PATCH", `/odis/v1/event_destinations/${id}`, disabled);
  return `${root}/event-destinations/${id}`;
}

const standings: Readonly<Record<string, (member: Member) => boolean>> = {
  active: isActive,
  overdue: ({ status }) => status === "past_due",
  unpaid: ({ status }) => status === "unpaid",
  ended: ({ status }) => status === "canceled",
  leaving: ({ status, cancel_at, is_blocked }) => status === "active" && cancel_at !== null && !is_blocked,
  blocked: ({ is_blocked }) => is_blocked,
};

/** Every page of the console. */
export async function pageSights(): Promise<readonly Sight[]> {
  const owner = { who: "owner" } as const;
  const admin = { who: "admin" } as const;
  const editor = { who: "editor" } as const;
  const community = { name: "Empty Room", owner_id: people.other_owner.id };
  const { id } = await ask<Community>("admin", "POST", "/odis/v1/communities", { community });
  const standing: Sight[] = [];
  for (const [name, isLike] of Object.entries(standings))
    standing.push({ ...owner, name: `${name} member`, path: `${root}/members/${(await lastMember(isLike)).id}` });
  return [
    { ...owner, name: "overview", path: root, after: (page) => page.locator("canvas").nth(1).waitFor() },
    { ...owner, name: "overview with values", path: root, after: showValues },
    { ...owner, name: "members", path: `${root}/members` },
    ...standing,
    { ...owner, name: "no member found", path: `${root}/members?query=zzz` },
    { ...owner, name: "import", path: `${root}/members/import` },
    { ...owner, name: "columns and rows of an import", path: `${root}/members/import`, after: chooseRows },
    { ...owner, name: "everybody who joined and left", path: `${root}/movements` },
    { ...owner, name: "nobody joined", path: `${root}/movements?show=joined&to=2020-01-01` },
    { ...owner, name: "payments", path: `${root}/payments` },
    { ...owner, name: "tiers", path: `${root}/tiers` },
    { ...owner, name: "benefits", path: `${root}/benefits` },
    { ...owner, name: "activity", path: `${root}/activity` },
    { ...owner, name: "search of the activity", path: `${root}/activity`, after: searchActors },
    { ...owner, name: "activity of one person", path: `${root}/activity?type=member&actor_id=${people.owner.id}` },
    { ...owner, name: "no activity found", path: `${root}/activity?from=2020-01-01&to=2020-01-02` },
    { ...owner, name: "team", path: `${root}/team` },
    { ...owner, name: "long event destination", path: await longDestinationPath() },
    { ...owner, name: "event destinations", path: `${root}/event-destinations` },
    { ...owner, name: "API keys", path: `${root}/api-keys` },
    { ...owner, name: "event destination", path: await destinationPath() },
    { ...owner, name: "no such event destination", path: `${root}/event-destinations/999999999` },
    { who: "stranger", name: "invitations", path: "#/communities" },
    { ...owner, name: "settings", path: `${root}/settings` },
    { ...owner, name: "own communities", path: "#/communities" },
    { ...owner, name: "account", path: "#/account" },
    { ...owner, name: "authenticator app", path: "#/account", after: setUpApp },
    { ...owner, name: "no such page", path: "#/nothing" },
    { ...owner, name: "no such member", path: `${root}/members/999999999` },
    { ...owner, name: "brands of an owner", path: `#/brands?producer=${producers[0]}` },
    { ...owner, name: "failure", path: `${root}/tiers`, before: (page) => refuse(page, "**/tiers?*", 500, "internal") },
    { who: "member", name: "no communities", path: "#/communities" },
    { ...admin, name: "all communities", path: "#/communities" },
    {
      ...admin,
      name: "no community found",
      path: "#/communities",
      after: searchInVain,
    },
    { ...admin, name: "settings of an admin", path: "#/communities/2/settings" },
    {
      ...admin,
      name: "empty overview",
      path: `#/communities/${id}`,
      after: (page) => heading(page, "First steps").waitFor(),
    },
    { ...admin, name: "empty team", path: `#/communities/${id}/team` },
    { ...admin, name: "empty members", path: `#/communities/${id}/members` },
    { ...admin, name: "empty payments", path: `#/communities/${id}/payments` },
    { ...admin, name: "empty tiers", path: `#/communities/${id}/tiers` },
    { ...admin, name: "empty event destinations", path: `#/communities/${id}/event-destinations` },
    { ...admin, name: "empty API keys", path: `#/communities/${id}/api-keys` },
    { ...admin, name: "empty benefits", path: `#/communities/${id}/benefits` },
    { ...admin, name: "account of an admin", path: "#/account" },
    { ...editor, name: "brands", path: "#/brands" },
    { ...editor, name: "brands of a producer", path: `#/brands?producer=${producers[0]}` },
    {
      ...editor,
      name: "no brand found",
      path: `#/brands?producer=${producers[1]}`,
      after: searchInVain,
    },
    { ...editor, name: "producer without brands", path: "#/brands?producer=0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e00ff" },
  ];
}

async function searchInVain(page: Page): Promise<void> {
  await page.getByRole("searchbox").fill("zzz");
  await page.locator(".empty").waitFor();
}

async function searchActors(page: Page): Promise<void> {
  await page.getByRole("searchbox").fill("a");
  await page.locator('.found[aria-busy="false"] a').first().waitFor();
}

async function showValues(page: Page): Promise<void> {
  await page.locator("canvas").nth(1).waitFor();
  for (const summary of await page.getByText("Values", { exact: true }).all()) await summary.click();
}

async function chooseRows(page: Page): Promise<void> {
  await page.getByText("Paste cells instead").click();
  const rows = [
    "Email,Tier,Joined,A column with a long name",
    `ana@example.com,,3/4/2026,${"long".repeat(60)}`,
    "ana,Gold",
  ];
  await page.getByLabel("Cells, with the names of the columns").fill(rows.join("\n"));
  await button(page, "Use these cells").click();
  await page.getByText("0 of 2 rows can be imported.").waitFor();
}

async function setUpApp(page: Page): Promise<void> {
  await button(page, "Set up an authenticator app").click();
  await page.locator(".secret").waitFor();
}

/** All dialogs of the console with all their variants. Nothing is changed. */
export async function dialogSights(): Promise<readonly DialogSight[]> {
  const paid = await paidMember();
  const pathOf = async (standing: string) =>
    `${root}/members/${(await lastMember(standings[standing] ?? isActive)).id}`;
  const member = { who: "owner", path: `${root}/members/${paid.member.id}` } as const;
  const tier = { who: "owner", path: `${root}/tiers` } as const;
  const benefit = { who: "owner", path: `${root}/benefits` } as const;
  const team = { who: "owner", path: `${root}/team` } as const;
  const destinations = { who: "owner", path: `${root}/event-destinations` } as const;
  const destination = { who: "owner", path: await destinationPath() } as const;
  const keys = { who: "owner", path: `${root}/api-keys` } as const;
  const brand = { who: "editor", path: `#/brands?producer=${producers[0]}` } as const;
  const settings = { who: "admin", path: "#/communities/2/settings" } as const;
  const fill = (label: string, value: string) => (page: Page) => dialog(page).getByLabel(label).fill(value);
  const submit = (page: Page) => dialog(page).locator('[type="submit"]').click();
  return [
    { ...member, name: "refund", opener: /^Refund the payment/ },
    { ...member, name: "refund of too much", opener: /^Refund the payment/, after: refundTooMuch },
    { ...member, name: "cancel", opener: "Cancel the subscription" },
    { ...member, name: "block", opener: "Block" },
    {
      ...member,
      name: "unanswered",
      opener: "Block",
      before: (page) => refuse(page, "**/block", 500, "internal"),
      after: unanswered,
    },
    { ...member, name: "address", opener: "Edit the shipping address" },
    { ...member, name: "address with errors", opener: "Edit the shipping address", after: addressErrors },
    { ...member, name: "notes", opener: "Edit the notes" },
    { ...member, name: "custom data", opener: "Add custom data" },
    { who: "owner", path: await pathOf("leaving"), name: "keep", opener: "Keep the subscription" },
    { who: "owner", path: await pathOf("blocked"), name: "unblock", opener: "Unblock" },
    { ...tier, name: "create tier", opener: "Create a tier" },
    { ...tier, name: "create tier with errors", opener: "Create a tier", after: submit },
    { ...tier, name: "edit tier", opener: /^Edit / },
    { ...tier, name: "price", opener: /^Change price/, after: fill("Price per month", "12.50") },
    { ...tier, name: "archive tier", opener: /^Archive / },
    { ...benefit, name: "create benefit", opener: "Create a benefit" },
    { ...benefit, name: "edit benefit", opener: /^Edit / },
    { ...benefit, name: "assign", opener: /^Tiers of / },
    { ...benefit, name: "archive benefit", opener: /^Archive / },
    { ...benefit, name: "activate benefit", opener: /^Activate / },
    { ...benefit, name: "delete benefit", opener: /^Delete / },
    { ...team, name: "invite", opener: "Invite somebody" },
    { ...team, name: "invite with errors", opener: "Invite somebody", after: submit },
    { ...team, name: "change role", opener: /^Change role of / },
    { ...team, name: "remove from the team", opener: /^Remove / },
    { ...team, name: "revoke invitation", opener: /^Revoke / },
    { ...destinations, name: "add event destination", opener: "Add a destination", after: chooseEvents },
    { ...destinations, name: "add event destination with errors", opener: "Add a destination", after: submit },
    { ...keys, name: "create API key", opener: "Create a key" },
    { ...keys, name: "create API key with errors", opener: "Create a key", after: submit },
    { ...keys, name: "revoke API key", opener: /^Revoke / },
    { ...destination, name: "ping", opener: "Send a ping" },
    { ...destination, name: "edit event destination", opener: "Edit" },
    { ...destination, name: "new secret", opener: "New secret" },
    { ...destination, name: "enable event destination", opener: "Enable" },
    { ...destination, name: "delete event destination", opener: "Delete" },
    { ...destination, name: "resend a time span", opener: "Resend a time span" },
    { who: "stranger", path: "#/communities", name: "accept invitation", opener: /^Accept / },
    { who: "stranger", path: "#/communities", name: "decline invitation", opener: /^Decline / },
    { who: "owner", path: `${root}/settings`, name: "edit community", opener: "Edit" },
    { who: "owner", path: `${root}/settings`, name: "conflict", opener: "Edit", after: conflict },
    { ...brand, name: "create brand", opener: "Create a brand" },
    { ...brand, name: "rename brand", opener: /^Rename / },
    { ...brand, name: "producers of a brand", opener: /^Producers of / },
    { ...brand, name: "delete brand", opener: /^Delete / },
    { who: "admin", path: "#/communities", name: "create community", opener: "Create a community" },
    {
      ...settings,
      name: "transfer",
      opener: "Transfer",
      after: fill("Email of the new owner", "stranger@example.com"),
    },
    { ...settings, name: "trending", opener: "Trending" },
    { ...settings, name: "archive community", opener: "Archive" },
  ];
}

async function chooseEvents(page: Page): Promise<void> {
  await dialog(page)
    .getByLabel("URL")
    .fill(`https://example.com/${"a".repeat(1980)}`);
  await dialog(page)
    .getByRole("checkbox", { name: /^Everything, also/ })
    .uncheck();
  await dialog(page).getByText("Single types of member.*").click();
}

async function refundTooMuch(page: Page): Promise<void> {
  await dialog(page).getByLabel("Amount").fill("9999");
  await dialog(page).getByRole("button", { name: "Refund" }).click();
  await dialog(page).locator(".error").waitFor();
}

async function unanswered(page: Page): Promise<void> {
  await dialog(page).locator('[type="submit"]').click();
  await dialog(page).getByRole("alert").waitFor();
}

async function addressErrors(page: Page): Promise<void> {
  await dialog(page).getByLabel("City").fill("");
  await dialog(page).getByLabel("Street").fill("");
  await dialog(page).locator('[type="submit"]').click();
  await dialog(page).locator(".error").first().waitFor();
}

async function conflict(page: Page): Promise<void> {
  await refuse(page, "**/odis/v1/communities/1", 412, "stale_record");
  await dialog(page).getByLabel("Name").fill("A longer name for the same community of mezcal lovers");
  await dialog(page).locator('[type="submit"]').click();
  await dialog(page).getByRole("alert").waitFor();
}

/** The steps of a sign-in in order, starting signed out. */
export const signInSteps: readonly { readonly name: string; readonly to: (page: Page) => Promise<unknown> }[] = [
  { name: "sign in", to: (page) => heading(page, "Sign in").waitFor() },
  { name: "sign in with errors", to: (page) => button(page, "Sign in").click() },
  {
    name: "wrong password",
    to: async (page) => {
      await page.getByLabel("Email").fill("owner@example.com");
      await page.getByLabel("Password").fill("wrong");
      await button(page, "Sign in").click();
      await page.getByRole("alert").waitFor();
    },
  },
  { name: "forgotten", to: (page) => button(page, "Forgot your password?").click() },
  {
    name: "new password",
    to: async (page) => {
      await page.getByLabel("Email").fill("stranger@example.com");
      await button(page, "Send the code").click();
      await heading(page, "Choose a new password").waitFor();
    },
  },
  {
    name: "create an account",
    to: async (page) => {
      await button(page, "Back").click();
      await button(page, "Create an account").click();
    },
  },
  {
    name: "confirm",
    to: async (page) => {
      await page.getByLabel("First name").fill("Sana");
      await page.getByLabel("Last name").fill("Sight");
      await page.getByLabel("Email").fill(`sight${Date.now()}@example.com`);
      await page.getByLabel("Password").fill("Odis-local-1");
      await button(page, "Create account").click();
      await heading(page, "Check your email").waitFor();
    },
  },
];
