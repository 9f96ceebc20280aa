import { beforeAll, describe, expect, it } from "vitest";
import { problems } from "#lib/problem.ts";
import { idOf } from "../../tools/build/site/markdown.ts";
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
  it.each(["/openapi.json", "/llms.txt", "/docs", "/docs/guide", "/docs/guide.md", "/docs/problems"])(
    "the file %s of the reference is sent once",
    async (path) => {
      const { headers } = await api.send(path);
      expect(headers.get("cache-control")).toBe("no-cache");
      const again = await api.send(path, { headers: { "if-none-match": headers.get("etag") ?? "" } });
      expect(again.status).toBe(304);
    },
  );

  it.each(["/", "/docs", "/docs/guide.md", "/openapi.json", "/nothing.txt"])(
    "HEAD %s has the status and headers of GET, and no body",
    async (path) => {
      const [get, head] = await Promise.all(
        ["GET", "HEAD"].map((method) => api.send(path, { method, redirect: "manual" })),
      );
      const names = ["content-type", "content-length", "etag", "cache-control", "location"];
      const of = (response: Response | undefined) => [
        response?.status,
        ...names.map((name) => response?.headers.get(name)),
      ];
      expect(of(head)).toEqual(of(get));
      expect(await head?.text()).toBe("");
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

  it("/openapi.json is served without white space between its parts", async () => {
    const text = await (await api.send("/openapi.json")).text();
    expect(text).toBe(JSON.stringify(JSON.parse(text)));
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

describe("the documents", () => {
  const pages = ["/docs/guide", "/docs/api", "/docs/problems"];
  const textOf = async (path: string) => (await api.send(path)).text();
  const inMarkdown = /\]\(([^)]+)\)/g;
  const targetsOf = (text: string, link: RegExp) => Array.from(text.matchAll(link), ([, target = ""]) => target);

  /** The links to the site that lead to nothing. */
  async function broken(targets: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const target of targets.filter((one) => !one.startsWith("https://"))) {
      const [path = "", anchor] = target.split("#");
      const { status } = await api.send(path);
      const text = await textOf(path);
      const ids = path.endsWith(".md")
        ? Array.from(text.matchAll(/^#+ (.*)$/gm), ([, title = ""]) => idOf(title))
        : targetsOf(text, /id="([^"]+)"/g);
      if (status !== 200 || (anchor !== undefined && !ids.includes(anchor))) found.push(target);
    }
    return found;
  }

  it.each(pages)("%s has a link to the same text as Markdown, and all its links are valid", async (path) => {
    const page = await textOf(path);
    expect(page).toContain(`<link rel="alternate" type="text/markdown" href="${path}.md">`);
    const targets = targetsOf(page, /href="([^"]+)"/g).filter((target) => target !== "data:,");
    expect(targets.length).toBeGreaterThan(10);
    expect(await broken(targets.map((target) => (target.startsWith("#") ? path + target : target)))).toEqual([]);
  });

  it.each(pages)("%s.md is Markdown whose links are valid, without comments", async (path) => {
    const { headers } = await api.send(`${path}.md`);
    expect(headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const text = await textOf(`${path}.md`);
    expect(text).toMatch(/^# /);
    expect(text).not.toContain("<!--");
    const targets = targetsOf(text, inMarkdown);
    expect(targets.filter((target) => !/^(?:\/|https:\/\/)/.test(target))).toEqual([]);
    expect(await broken(targets)).toEqual([]);
  });

  it("every page links to all documents", async () => {
    for (const path of ["/docs", ...pages])
      for (const target of ["/docs", ...pages].filter((one) => one !== path))
        expect(await textOf(path)).toContain(`<a href="${target}">`);
  });

  it("/llms.txt is plain text whose links lead to the documents as Markdown", async () => {
    const response = await api.send("/llms.txt");
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const targets = targetsOf(await response.text(), inMarkdown);
    expect(targets).toEqual([...pages.map((path) => `${path}.md`), "/llms-full.txt", "/openapi.json", "/docs"]);
    expect(await broken(targets)).toEqual([]);
  });

  it("/llms-full.txt consists of /llms.txt and all documents", async () => {
    const full = await textOf("/llms-full.txt");
    for (const path of ["/llms.txt", ...pages.map((page) => `${page}.md`)]) expect(full).toContain(await textOf(path));
  });
});

it("the problems page and its Markdown have a section for every code, and a problem's type links to its section", async () => {
  const page = await (await api.send("/docs/problems")).text();
  const isMissing = (text: string) => !page.includes(text);
  expect(problems.filter(({ code }) => isMissing(`<section id="${code}">`))).toEqual([]);
  expect(problems.filter(({ code }) => isMissing(`<li><a href="#${code}">`))).toEqual([]);
  const text = await (await api.send("/docs/problems.md")).text();
  expect(problems.filter(({ code }) => !text.includes(`\n## ${code}\n`))).toEqual([]);
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
  ] as const)("the guide and the contract are readable at %i px in %s colors", async (width, colorScheme) => {
    const { page } = browser;
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    for (const place of ["guide#going-live", "api#the-record"]) {
      await page.goto(`${api.stack.url}/docs/${place}`);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(await findings(page)).toEqual([]);
    }
  });

  it.each(["light", "dark"] as const)("the reference explains each problem, in %s colors", async (colorScheme) => {
    await browser.page.emulateMedia({ colorScheme });
    await browser.page.goto(`${api.stack.url}/docs/problems#stale_record`);
    expect(await browser.page.locator("section:target").innerText()).toContain("Read the record again");
    expect(await barriers(browser.page)).toEqual([]);
  });
});
