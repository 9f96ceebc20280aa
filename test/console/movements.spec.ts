import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { ImportedMembers, Movement, Series } from "../../client/schema.ts";
import { eventually } from "../support/eventually.ts";
import { all, ask, button, done, hasConsole, heading, open, useConsole } from "./console.ts";

const community = "/odis/v1/communities/1";
const month = `${new Date().toISOString().slice(0, 7)}-01`;

/** Imports a person with a paid period. Returns the path of the member. */
async function join(name: string): Promise<{ readonly id: number; readonly path: string }> {
  const now = Date.now();
  const record = {
    user: { email: `${name}.mover@example.com`.toLowerCase(), first_name: name, last_name: "Mover" },
    tier_id: 11,
    status: "active",
    created_at: new Date(now).toISOString(),
    current_period_start: new Date(now).toISOString(),
    current_period_end: new Date(now + 30 * 86_400_000).toISOString(),
  };
  const { data } = await ask<ImportedMembers>("owner", "POST", `${community}/members/import`, { members: [record] });
  const id = data[0]?.id;
  if (!id) throw new Error(`The person was not imported: ${JSON.stringify(data)}`);
  return { id, path: `${community}/members/${id}` };
}

const block = (path: string) => ask("owner", "POST", `${path}/block`, { reason: "test" });
const unblock = (path: string) => ask("owner", "DELETE", `${path}/unblock`);

/** The number of the series for the current month, once it equals the list. */
async function counted(metric: "joined" | "left", access: Movement["access"]): Promise<number> {
  let value = 0;
  await eventually(async () => {
    const path = `${community}/stats/series?metric=${metric}&interval=month&from=${month}`;
    value = (await ask<Series>("owner", "GET", path)).points[0]?.value ?? 0;
    const listed = await all("owner", `${community}/movements?access=${access}&from=${month}`);
    expect(listed).toHaveLength(value);
  });
  return value;
}

/** The names in the lines of the list. */
const namesIn = (page: Page) => page.locator("tbody th a").allInnerTexts();

describe.skipIf(!hasConsole)("who joined and left in the console, in Chromium", () => {
  const browser = useConsole();

  it("a number of the month leads to exactly the people who were counted, as often as they joined or left", async () => {
    const [again, ended, blocked] = [await join("Again"), await join("Ended"), await join("Blocked")];
    await block(again.path);
    await unblock(again.path);
    await ask("owner", "POST", `${ended.path}/cancel_subscription`, { mode: "immediately" });
    await block(blocked.path);
    const [joined, left] = [await counted("joined", "begun"), await counted("left", "ended")];
    const page = await open(browser.page, "owner", "#/communities/1");
    const times = async (name: string) => (await namesIn(page)).filter((one) => one === `${name} Mover`).length;

    await page
      .locator(".month-sentence")
      .getByRole("link", { name: `${joined} joined`, exact: true })
      .click();
    await page.getByRole("status").getByText(`${joined} joined`, { exact: true }).waitFor();
    expect(await namesIn(page)).toHaveLength(joined);
    expect([await times("Again"), await times("Ended"), await times("Blocked")]).toEqual([2, 1, 1]);

    await page.getByRole("link", { name: "Overview", exact: true }).first().click();
    await page
      .locator(".month-sentence")
      .getByRole("link", { name: `${left} left`, exact: true })
      .click();
    await page.getByRole("status").getByText(`${left} left`, { exact: true }).waitFor();
    expect(await namesIn(page)).toHaveLength(left);
    expect([await times("Again"), await times("Ended"), await times("Blocked")]).toEqual([1, 1, 1]);

    await page.getByRole("link", { name: "Blocked Mover" }).click();
    await heading(page, "Blocked Mover").waitFor();
    expect(page.url()).toContain(`/members/${blocked.id}`);
  });

  it("the reasons for a change of the monthly revenue lead to the members behind them", async () => {
    const page = await open(browser.page, "owner", "#/communities/1");
    await page
      .getByRole("region", { name: "Monthly revenue in the last 30 days" })
      .getByRole("link", { name: "New members" })
      .click();
    await page.getByText(/^\d+ paid for the first time$/).waitFor();
    for (const what of await page.locator("tbody td.wide").allInnerTexts())
      expect(what).toMatch(/ays \$[\d,.]+ a month$/);
  });

  it("an owner exports exactly the people whom the list shows", async () => {
    const page = await open(browser.page, "owner", `#/communities/1/movements?show=left&from=${month}`);
    await page.locator("tbody tr").first().waitFor();
    const names = await namesIn(page);
    const saved = page.waitForEvent("download");
    await button(page, "Export CSV").click();
    await Promise.race([saved, done(page, /^Exported/)]);
    const lines = (await text(await (await saved).createReadStream())).trim().split("\r\n");
    const exported = lines.slice(1).map((line) => line.split(",").at(-1)?.replaceAll('"', ""));
    expect(exported.map((name) => name || "Erased person")).toEqual(names);
  });
});
