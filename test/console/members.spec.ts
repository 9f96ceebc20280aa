import { buffer } from "node:stream/consumers";
import { parse } from "csv-parse/sync";
import type { Request } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Member } from "../../client/schema.ts";
import {
  ask,
  button,
  done,
  fullName,
  hasConsole,
  heading,
  local,
  members,
  memberWho,
  open,
  useConsole,
} from "./console.ts";

describe.skipIf(!hasConsole)("lists of members in the console, in Chromium", () => {
  const browser = useConsole();
  const api = "/odis/v1/communities/1/members";
  /** The name of a file that was exported today, or yesterday if the day has just ended. */
  const named = (kind: string): RegExp => {
    const days = [0, 86_400_000].map((ms) => new Date(Date.now() - ms).toISOString().slice(0, 10));
    return new RegExp(`^${kind}-1-(?:${days.join("|")})\\.csv$`);
  };

  it("the CSV file has every member that the filters show, under one header, after the mark by which Excel reads UTF-8", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/members?tier_id=11");
    const expected = new Set((await members("tier_id=11")).map(({ id }) => id));
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Export CSV").click()]);
    expect(download.suggestedFilename()).toMatch(named("members"));
    const csv = await buffer(await download.createReadStream());
    expect(csv.subarray(0, 3)).toEqual(Buffer.from("\uFEFF"));
    const records = parse<{ id: string }>(csv, { columns: true, bom: true });
    const ids = records.map(({ id }) => Number(id));
    expect(ids).toHaveLength(expected.size);
    expect(new Set(ids)).toEqual(expected);
    expect(expected.size).toBeGreaterThan(1);
    await done(page, `Exported ${expected.size} members.`);
  });

  it("an export is sent again after one request too many, and with a new token after the rejection of an expired one", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/members?tier_id=11");
    let requests = 0;
    await page.route(/\/members\?.*tier_id=11/, (route) => {
      if (route.request().headers().accept !== "text/csv") return route.continue();
      requests++;
      if (requests === 1) return route.fulfill({ status: 429, json: { message: "Too Many Requests" } });
      return requests === 2 ? route.fulfill(expired) : route.continue();
    });
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Export CSV").click()]);
    const lines = (await buffer(await download.createReadStream())).toString().trim().split("\r\n");
    expect(lines).toHaveLength((await members("tier_id=11")).length + 1);
    expect(requests).toBe(3);
  });

  const askingAgain = ["Export CSV", "Copy emails", "Show more members"];
  it.each(askingAgain)("a person whose session has ended signs in again after “%s”", async (name) => {
    const { page } = browser;
    const pageOf = await pagesOfSomebodyElse(await members("is_canceling=true"));
    await page.route(unfiltered, (route) => route.fulfill({ json: pageOf(1000, "later") }));
    const headers = { "access-control-allow-origin": "*" };
    const ended = { __type: "NotAuthorizedException", message: "Refresh Token has been revoked" };
    await open(page, "owner", "#/communities/1/members");
    await page.getByRole("row").nth(1).waitFor();
    await page.route(`${local().cognito_url}/**`, (route) => route.fulfill({ status: 400, headers, json: ended }));
    await page.route(/\/members\?/, (route) => {
      // The numbers of the groups may still be loaded. They would end the session before the click.
      const isAsked = route.request().headers().accept === "text/csv" || unfiltered.test(route.request().url());
      return isAsked ? route.fulfill(expired) : route.continue();
    });
    await button(page, name).click();
    await page.getByText("Your session has ended").waitFor();
    expect(await page.getByLabel("Password").count()).toBe(1);
  });

  it("an owner finds the members without an address for their parcel, and saves the labels of the others", async () => {
    const parcels = "access=true&requires_shipping_address=true&has_shipping_address";
    const [someone] = await members(`${parcels}=true`);
    await ask("owner", "PATCH", `${api}/${someone?.id}`, { member: { shipping_address: null } });
    const missing = (await members(`${parcels}=false`)).length;
    const page = await open(browser.page, "owner", "#/communities/1/members");
    await button(page, `No address ${missing}`).click();
    await page.getByText(missing === 1 ? "1 member" : `${missing} members`, { exact: true }).waitFor();
    await page.getByRole("link", { name: fullName(someone as Member) }).waitFor();

    const expected = await members(`${parcels}=true`);
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Shipping labels").click()]);
    expect(download.suggestedFilename()).toMatch(named("labels"));
    const labels = parse<Record<string, string>>(await buffer(await download.createReadStream()), { columns: true });
    expect(labels.map((label) => Number(label["Order Number"]))).toEqual(expected.map(({ id }) => id));
    expect(labels[0]).toMatchObject({ City: expected[0]?.shipping_address.city, Quantity: "1" });
    await done(page, `Exported ${expected.length} labels.`);
  });

  it("a group of members shows as many as it says, and the email addresses of all of them can be copied", async () => {
    const { page } = browser;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(page, "owner", "#/communities/1/members");
    const leaving = await members("is_canceling=true");
    await button(page, `Leaving ${leaving.length}`).click();
    await page.getByText(leaving.length === 1 ? "1 member" : `${leaving.length} members`, { exact: true }).waitFor();
    await button(page, "Copy emails").click();
    await done(page, /copied/);
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(new Set(copied.split(", "))).toEqual(new Set(leaving.map(({ user }) => user.email)));
    expect(copied).toContain("@");
  });

  it("a group whose first page is empty shows the members of the later pages", async () => {
    const leaving = await members("is_canceling=true");
    const { page } = browser;
    // A page reads a limited number of records. In a large club, none of them may match.
    await page.route(/\/members\?.*is_canceling=true/, async (route) => {
      const url = new URL(route.request().url());
      if (!url.searchParams.has("cursor"))
        return route.fulfill({ json: { data: [], has_more: true, next_cursor: "later", total: null } });
      url.searchParams.delete("cursor");
      return route.continue({ url: url.href });
    });
    await open(page, "owner", "#/communities/1/members?group=leaving");
    await page
      .locator(".row-link")
      .nth(leaving.length - 1)
      .waitFor();
    expect(await page.locator(".row-link").count()).toBe(leaving.length);
    expect(await page.getByText(/^More than/).count()).toBe(0);
  });

  it("a next page that is slower than a change of the filter is canceled, and can be shown later", async () => {
    const { page } = browser;
    const leaving = await members("is_canceling=true");
    const pageOf = await pagesOfSomebodyElse(leaving);
    let requests = 0;
    await page.route(unfiltered, async (route) => {
      if (!isLater(route.request())) return route.fulfill({ json: pageOf(1000, "later") });
      requests++;
      if (requests > 1) await route.fulfill({ json: pageOf(2000, null) });
    });
    await open(page, "owner", "#/communities/1/members");
    const requested = page.waitForRequest(isLater);
    await button(page, "Show more members").click();
    await requested;
    const canceled = page.waitForEvent("requestfailed", isLater);
    await button(page, `Leaving ${leaving.length}`).click();
    await page.getByText(leaving.length === 1 ? "1 member" : `${leaving.length} members`, { exact: true }).waitFor();
    await canceled;
    expect(await page.locator(".row-link").count()).toBe(leaving.length);
    await button(page, `Leaving ${leaving.length}`).click();
    await button(page, "Show more members").click();
    await page.locator(".row-link").nth(199).waitFor();
    expect(requests).toBe(2);
  });

  it("the next page of the list before cannot be shown while a filter is applied, nor after that has failed", async () => {
    const { page } = browser;
    const leaving = await members("is_canceling=true");
    const pageOf = await pagesOfSomebodyElse(leaving);
    await page.route(unfiltered, (route) => route.fulfill({ json: pageOf(1000, "later") }));
    await open(page, "owner", "#/communities/1/members");
    const more = button(page, "Show more members");
    await more.waitFor();
    await button(page, `Leaving ${leaving.length}`).waitFor();
    const { promise: isRefused, resolve: refuse } = Promise.withResolvers<void>();
    await page.route(/\/members\?.*is_canceling=true/, async (route) => {
      await isRefused;
      await route.fulfill({ status: 403, json: { code: "forbidden", title: "Forbidden", status: 403 } });
    });
    await button(page, `Leaving ${leaving.length}`).click();
    await page.getByText("Searching…").waitFor();
    expect(await more.getAttribute("aria-disabled")).toBe("true");
    refuse();
    await page.getByText("Could not load the members").waitFor();
    expect(await more.count()).toBe(0);
  });

  it("a person who comes back from a member finds the list as they left it", async () => {
    const page = await open(browser.page, "owner", "#/communities/1/members?sort=created_at");
    const all = await members("sort=created_at");
    const last = all.at(-1) as Member;
    const row = page.getByRole("link", { name: fullName(last) });
    await row.click();
    await heading(page, fullName(last)).waitFor();
    await page.getByRole("link", { name: "All members" }).click();
    await row.waitFor();
    expect(await page.getByLabel("Sort by").inputValue()).toBe("created_at");
    expect(await page.evaluate("scrollY")).toBeGreaterThan(500);
    expect(await page.evaluate("document.activeElement.innerText")).toBe(fullName(last));
  });
});

/** The response to a request with an expired token. */
const expired = {
  status: 401,
  contentType: "application/problem+json",
  body: JSON.stringify({ code: "expired_token", status: 401 }),
};

/** Requests for all members, which the counts of the groups are not. */
const unfiltered = /\/members\?per=100(?:&cursor=|$)/;
const isLater = (request: Request): boolean => request.url().includes("cursor=later");

/** Makes pages of 100 members, whose ids begin with a number, out of a member who is not in the group. */
async function pagesOfSomebodyElse(group: readonly Member[]) {
  const member = await memberWho(({ id }) => group.every((one) => one.id !== id));
  return (from: number, next_cursor: string | null) => ({
    data: Array.from({ length: 100 }, (_, n) => ({ ...member, id: from + n })),
    has_more: next_cursor !== null,
    next_cursor,
    total: null,
  });
}
