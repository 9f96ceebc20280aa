import { globSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { sitePages } from "../../tools/local/pages.ts";
import { startApi } from "../support/api.ts";
import { useBrowser } from "../support/browser.ts";
import { hasBrowser } from "../support/chromium.ts";

const api = startApi({ pages: sitePages() });

const files = globSync("**/*.*", { cwd: "dist/site" });
const pages = files.map((file) => `/${file.replace(/\/index\.html$/, "")}`);

it("no function serves a page or its script, and the site has all of them", () => {
  expect(routes.map(({ path }) => path).filter((path) => /docs|openapi|explore\//.test(path))).toEqual([]);
  expect(pages).toEqual(expect.arrayContaining(["/docs", "/docs/problems", "/openapi.json", "/explore"]));
});

it("every file of the site is small enough for CloudFront to compress it", () => {
  for (const file of files) expect(statSync(`dist/site/${file}`).size).toBeLessThan(10_000_000);
});

it.each(pages)("%s sends no referrer to other sites, and shares no window with them", async (path) => {
  const { status, headers } = await api.send(path);
  expect(status).toBe(200);
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
});

it.each(pages.filter((path) => path !== "/docs"))("%s allows no inline style or script", async (path) => {
  expect((await api.send(path)).headers.get("content-security-policy")).not.toContain("unsafe");
});

it("the reference allows inline styles, which its library writes, and no inline script", async () => {
  const policy = (await api.send("/docs")).headers.get("content-security-policy");
  expect(policy).toContain("style-src 'self' 'unsafe-inline'");
  expect(policy).toContain("script-src 'self';");
});

it("only the pages that show pictures of communities load images from other origins", async () => {
  for (const path of pages) {
    const policy = (await api.send(path)).headers.get("content-security-policy");
    const hasPictures = path === "/explore" || path === "/console";
    expect(policy).toContain(hasPictures ? "img-src 'self' data: https:;" : "img-src 'self' data:;");
  }
});

it.each(["/docs/", "/assets", "/assets/..%2fopenapi.json", "//docs", "/.meta.json"])(
  "%s is not a file of the site",
  async (path) => {
    expect((await api.send(path)).status).toBe(404);
  },
);

describe.skipIf(!hasBrowser("the page of problems"))("in Chromium", () => {
  const browser = useBrowser();

  it("Chromium applies the styles of the problems page", async () => {
    await browser.page.goto(`${api.stack.url}/docs/problems`);
    expect(await browser.page.evaluate("getComputedStyle(document.body).maxWidth")).not.toBe("none");
  });
});
