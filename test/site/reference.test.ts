import { beforeAll, describe, expect, it } from "vitest";
import { problems } from "#lib/problem.ts";
import { type Person, sitePages } from "../../tools/local/pages.ts";
import { startApi } from "../support/api.ts";
import { barriers, findings, useBrowser } from "../support/browser.ts";
import { hasBrowser } from "../support/chromium.ts";
import { aCommunity, aMember } from "../support/given.ts";

let people: Person[] = [];
const api = startApi({ pages: sitePages({ people: () => people }) });

beforeAll(async () => {
  const community = await aCommunity(api.table, { id: 1, owner_id: 3 });
  await aMember(api.table, community, { user: { first_name: "Ximena" } });
  const personOf = async (name: string, id: number) => ({ name, token: await api.tokenOf({ id }) });
  people = [await personOf("owner", 3), await personOf("stranger", 6)];
});

describe("the files of the reference", () => {
  it.each(["/openapi.json", "/llms.txt", "/docs", "/docs/guide", "/docs/problems"])(
    "the file %s of the reference is sent once",
    async (path) => {
      const { headers } = await api.send(path);
      expect(headers.get("cache-control")).toBe("no-cache");
      const again = await api.send(path, { headers: { "if-none-match": headers.get("etag") ?? "" } });
      expect(again.status).toBe(304);
    },
  );

  it("scripts and styles of the reference's pages are cached without limit, because their names change with their content", async () => {
    const page = await (await api.send("/docs")).text();
    const assets = Array.from(page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g), ([, path = ""]) => path);
    expect(assets).toEqual([
      expect.stringMatching(/^\/assets\/reference-[0-9a-f]{12}\.css$/),
      expect.stringMatching(/^\/assets\/reference-[0-9a-f]{12}\.js$/),
    ]);
    for (const path of assets) {
      const { status, headers } = await api.send(path);
      expect({ status, cache: headers.get("cache-control") }).toEqual({
        status: 200,
        cache: "public, max-age=31536000, immutable",
      });
    }
  });

  it("/ redirects to the reference", async () => {
    const { status, headers } = await api.send("/", { redirect: "manual" });
    expect({ status, location: headers.get("location") }).toEqual({ status: 302, location: "/docs" });
  });

  it("the reference's pages may connect only to their own origin", async () => {
    const policy = (await api.send("/docs")).headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
  });
});

describe("the page of the guide", () => {
  it("the guide is linked from every other document, and all its links are valid", async () => {
    for (const path of ["/docs", "/docs/problems", "/llms.txt"])
      expect(await (await api.send(path)).text()).toContain("/docs/guide");
    const page = await (await api.send("/docs/guide")).text();
    const targets = Array.from(page.matchAll(/href="([^"]+)"/g), ([, target = ""]) => target);
    const anchors = targets.filter((target) => target.startsWith("#"));
    expect(anchors.length).toBeGreaterThan(5);
    expect(anchors.filter((target) => !page.includes(`id="${target.slice(1)}"`))).toEqual([]);
    for (const target of targets.filter((one) => one.startsWith("/")))
      expect((await api.send(target)).status).toBe(200);
  });

  it("/llms.txt is plain text whose links lead to existing pages", async () => {
    const response = await api.send("/llms.txt");
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const targets = Array.from((await response.text()).matchAll(/\]\(([^)]+)\)/g), ([, target = ""]) => target);
    expect(targets).toEqual(["/docs/guide", "/openapi.json", "/docs/problems", "/docs"]);
    for (const target of targets) expect((await api.send(target)).status).toBe(200);
  });
});

it("the problems page has a section for every code and a link to it, and a problem's type links to its section", async () => {
  const page = await (await api.send("/docs/problems")).text();
  const isMissing = (text: string) => !page.includes(text);
  expect(problems.filter(({ code }) => isMissing(`<section id="${code}">`))).toEqual([]);
  expect(problems.filter(({ code }) => isMissing(`<li><a href="#${code}">`))).toEqual([]);
  const { type } = (await (await api.send("/odis/v1/nothing")).json()) as { type: string };
  expect(type).toBe(`${api.stack.url}/docs/problems#route_not_found`);
});

describe.skipIf(!hasBrowser("the reference"))("the reference in Chromium", () => {
  const browser = useBrowser();
  const list = "tag/members/GET/odis/v1/communities/{community_id}/members";

  const open = async (place = "") => {
    await browser.page.goto(`${api.stack.url}/docs${place && `#${place}`}`);
    await browser.page.getByRole("heading", { name: "Odis", exact: true }).waitFor();
    await browser.page.getByRole("combobox", { name: "Signed in as" }).waitFor();
  };
  const tryList = async () => {
    const button = browser.page.getByRole("button", { name: `(get /odis/v1/communities/{community_id}/members)` });
    await button.click();
    const dialog = browser.page.getByRole("dialog", { name: "API Client" });
    await dialog.getByRole("button", { name: /^Send get request/ }).waitFor();
    return dialog;
  };

  it("the reference shows every area, and a sample of each call", async () => {
    await open(list);
    const areas = browser.page.getByRole("navigation").or(browser.page.getByRole("complementary"));
    expect(await areas.first().isVisible()).toBe(true);
    await browser.page.getByRole("heading", { name: "List the members of a community" }).waitFor();
    await browser.page.getByText("curl").first().waitFor();
  });

  it("the reference makes a call as a user of the local stack", async () => {
    await open(list);
    await browser.page.getByRole("combobox", { name: "Signed in as" }).selectOption("owner");
    const dialog = await tryList();
    await dialog.getByRole("button", { name: /^Send get request/ }).click();
    await dialog.getByText("200 OK").waitFor();
    await dialog.getByText("Ximena").first().waitFor();
    expect(await barriers(browser.page)).toEqual([]);
  });

  it("the reference makes a call as the selected user of the local stack, or without a user", async () => {
    await open(list);
    for (const [name, status] of [
      ["owner", "200 OK"],
      ["stranger", "403 Forbidden"],
      ["nobody", "401 Unauthorized"],
    ] as const) {
      await browser.page.getByRole("combobox", { name: "Signed in as" }).selectOption(name);
      const dialog = await tryList();
      await dialog.getByRole("button", { name: /^Send get request/ }).click();
      await dialog.getByText(status).waitFor();
      await browser.page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
    }
    expect(await browser.page.getByRole("dialog").count()).toBe(0);
  });

  it("the reference makes the same call with the keyboard alone", async () => {
    await open(list);
    await browser.page.getByRole("combobox", { name: "Signed in as" }).focus();
    await browser.page.keyboard.type("owner");
    const button = browser.page.getByRole("button", { name: `(get /odis/v1/communities/{community_id}/members)` });
    await button.focus();
    await browser.page.keyboard.press("Enter");
    const dialog = browser.page.getByRole("dialog", { name: "API Client" });
    await dialog.getByRole("button", { name: /^Send get request/ }).waitFor();
    await browser.page.keyboard.press("Control+Enter");
    await dialog.getByText("200 OK").waitFor();
    await browser.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(await button.isVisible()).toBe(true);
  });

  it.each([
    [1280, "light"],
    [1280, "dark"],
    [390, "light"],
    [390, "dark"],
  ] as const)("the reference is accessible at %i px in %s colors", async (width, colorScheme) => {
    await browser.page.setViewportSize({ width, height: 844 });
    await browser.page.emulateMedia({ colorScheme });
    await open(list);
    await browser.page.getByText("Ana").first().waitFor();
    expect(await findings(browser.page)).toEqual([]);
  });

  it.each([
    [1280, "light"],
    [390, "dark"],
  ] as const)("the guide is readable at %i px in %s colors", async (width, colorScheme) => {
    const { page } = browser;
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${api.stack.url}/docs/guide#going-live`);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect(await findings(page)).toEqual([]);
  });

  it.each(["light", "dark"] as const)("the reference explains each problem, in %s colors", async (colorScheme) => {
    await browser.page.emulateMedia({ colorScheme });
    await browser.page.goto(`${api.stack.url}/docs/problems#stale_record`);
    expect(await browser.page.locator("section:target").innerText()).toContain("Read the record again");
    expect(await barriers(browser.page)).toEqual([]);
  });
});
